/* SPDX-License-Identifier: Apache-2.0 */
/* Uses tree-sitter as transplt does, on the files that it is given, so that the compiler learns
   from the profile of this program which paths are taken often: parses a file, walks its tree,
   and parses it again after an edit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_python(void);

static char *Read(const char *path, uint32_t *size) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  long length;
  if (file == NULL) return NULL;
  if (fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0) {
    text = malloc((size_t)length);
    *size = (uint32_t)length;
    if (text != NULL && fread(text, 1, *size, file) != *size) {
      free(text);
      text = NULL;
    }
  }
  fclose(file);
  return text;
}

static unsigned Walk(TSNode root) {
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  unsigned sum = ts_node_descendant_count(root);
  for (int more = 1; more;) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    sum += ts_node_start_byte(node) + ts_node_end_byte(node) + ts_node_symbol(node) +
           ts_tree_cursor_current_field_id(&cursor);
    if (ts_tree_cursor_goto_first_child(&cursor)) continue;
    while (more && !ts_tree_cursor_goto_next_sibling(&cursor)) {
      more = ts_tree_cursor_goto_parent(&cursor);
    }
  }
  ts_tree_cursor_delete(&cursor);
  return sum;
}

int main(int count, char **paths) {
  TSParser *parser = ts_parser_new();
  unsigned sum = 0;
  if (!ts_parser_set_language(parser, tree_sitter_python())) return 1;
  for (int i = 1; i < count; ++i) {
    uint32_t size = 0;
    char *text = Read(paths[i], &size);
    if (text == NULL) continue; /* empty */
    TSTree *tree = ts_parser_parse_string(parser, NULL, text, size);
    sum += Walk(ts_tree_root_node(tree));
    const char *line_end = memchr(text, '\n', size);
    if (line_end != NULL) {
      /* The first line goes. */
      const uint32_t gone = (uint32_t)(line_end - text) + 1;
      const TSInputEdit edit = {0, gone, 0, {0, 0}, {1, 0}, {0, 0}};
      ts_tree_edit(tree, &edit);
      TSTree *edited = ts_parser_parse_string(parser, tree, text + gone, size - gone);
      sum += Walk(ts_tree_root_node(edited));
      ts_tree_delete(edited);
    }
    ts_tree_delete(tree);
    free(text);
  }
  ts_parser_delete(parser);
  return sum == 0;
}
