#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""transplt find-graph on trees of graphs and dumps that are made here.

With TRANSPLT_LONG the graphs take a gigabyte, and the memory of the program is limited.
"""

import json
import os
import resource
import sys
import unittest

sys.dont_write_bytecode = True
from program import LONG, ProgramTest, memory_limit  # noqa: E402

TIME = "20240613143502"


def dump_name(name):
    """As the vendor's dump names operators and graphs."""
    for sign in "./\\ ":
        name = name.replace(sign, "_")
    return name


def op_text(name, kind, attributes=(), filler=0):
    """An operator as GE writes it; `filler` bytes of other attributes."""
    lines = ["  op {", f'    name: "{name}"', f'    type: "{kind}"', '    input: "a:0"']
    for key, value in attributes:
        lines += ["    attr {", f'      key: "{key}"', "      value {", f"        {value}",
                  "      }", "    }"]
    if filler:
        # Braces, quotes and the word Iterator in a text are none of the graph.
        text = ('op { name: \\"no\\" type: \\"Iterator\\" } ' * (filler // 40 + 1))[:filler]
        text = text.rstrip("\\")
        lines += ["    attr {", '      key: "_text"', "      value {", f'        s: "{text}"',
                  "      }", "    }"]
    return "\n".join(lines + ["  }", ""])


def graph_text(name, ops, filler=0):
    """`ops` are (name, type) or (name, type, attributes)."""
    return (f'graph {{\n  name: "{name}"\n' +
            "".join(op_text(*op, filler=filler) for op in ops) + "}\n")


def layers(count, prefix="layer"):
    return [(f"{prefix}/conv.{i}", "Conv2D") for i in range(count)]


class Tree(ProgramTest):
    def write_graph(self, place, sequence, text):
        return self.write(f"graphs/{place}/ge_proto_{sequence:08d}_Build.txt", text)

    def write_dump(self, ops, graph, device=0, time=TIME, model_id=11, step=0, **options):
        """The dump of some operators; options: mapping, of operators that get a random name."""
        folder = f"dump/{time}/{device}/{dump_name(graph)}/{model_id}/{step}"
        rows = []
        for i, (name, kind, *_) in enumerate(ops):
            file = f"{dump_name(kind)}.{dump_name(name)}.{i}.3.1589195081588018"
            if name in options.get("mapping", ()):
                rows.append(f"{9000000000 + i},{file}")
                file = str(9000000000 + i)
            self.write(f"{folder}/{file}", b"\0" * 8)
        if rows:
            self.write(f"{folder}/mapping.csv", "\n".join(rows) + "\n")
        return self.folder / "dump" / time / str(device) / dump_name(graph)

    def find(self, *arguments, code=0, **options):
        result = self.run_for(code, "find-graph", "--json", *arguments, **options)
        return json.loads(result.stdout)

    def best(self, *arguments, **options):
        found = self.find("--graphs", "graphs", "--dump", "dump", *arguments, **options)
        return [graph for graph in found["graphs"] if graph["best"]]


class FindGraph(Tree):
    def test_takes_the_graph_whose_name_is_a_folder_of_the_dump(self):
        ops = layers(3)
        self.write_graph("100_0", 1, graph_text("ge_default_1_init", layers(50)))
        self.write_graph("100_0", 2, graph_text("ge_default_20240613143502.1", ops))
        folder = self.write_dump(ops, "ge_default_20240613143502.1")
        best, = self.best()
        self.assertEqual(best["graph"], "ge_default_20240613143502.1")
        self.assertTrue(best["file"].endswith("graphs/100_0/ge_proto_00000002_Build.txt"))
        self.assertEqual(best["dumps"][0]["folder"], str(folder.resolve()))
        self.assertEqual((best["dumped"], best["missing"]), (3, 0))

    def test_signs_that_a_dump_replaces_are_replaced_in_graphs_and_operators(self):
        name = r"scope/of a\graph.1"
        ops = [(r"model/conv 1\first.2", "Conv2D")]
        text = graph_text(name.replace("\\", "\\\\"),
                          [(op.replace("\\", "\\\\"), kind) for op, kind in ops])
        self.write_graph("100_0", 1, text)
        folder = self.write_dump(ops, name)
        self.assertEqual(folder.name, "scope_of_a_graph_1")
        best, = self.best()
        self.assertEqual((best["graph"], best["dumped"], best["missing"]), (name, 1, 0))

    def test_prefers_a_graph_that_an_iterator_feeds(self):
        train = layers(2) + [("IteratorGetNext", "GetNext")]
        self.write_graph("100_0", 1, graph_text("init", layers(9)))
        self.write_graph("100_0", 2, graph_text("train", train))
        self.write_dump(layers(9), "init")
        self.write_dump(train, "train")
        self.assertEqual(self.best()[0]["graph"], "train")

    def test_the_word_iterator_in_an_attribute_is_no_iterator(self):
        text = graph_text("init", layers(2), filler=400)
        self.write_graph("100_0", 1, text)
        self.write_dump(layers(2), "init")
        best, = self.best()
        self.assertEqual((best["iterators"], best["ops"]), (0, 2))

    def test_without_an_iterator_the_most_dumped_graph_wins(self):
        self.write_graph("100_0", 1, graph_text("init", layers(9)))
        self.write_graph("100_0", 2, graph_text("train", layers(7)))
        self.write_dump(layers(2), "init")
        self.write_dump(layers(7), "train")
        best, = self.best()
        self.assertEqual((best["graph"], best["iterators"]), ("train", 0))

    def test_each_rank_has_its_own_graph_and_time(self):
        for rank in range(4):
            name = f"ge_default_{rank}_1"
            self.write_graph(f"{100 + rank}_{rank}", 7, graph_text(name, layers(3)))
            self.write_dump(layers(3), name, device=rank, time=f"2024061314350{rank}")
        best = self.best()
        self.assertEqual([b["dumps"][0]["device"] for b in best], ["0", "1", "2", "3"])
        self.assertEqual([b["dumps"][0]["time"] for b in best],
                         [f"2024061314350{rank}" for rank in range(4)])

    def test_a_graph_of_one_name_belongs_to_the_dump_of_its_device(self):
        for rank in range(2):
            self.write_graph(f"pid_{100 + rank}_deviceid_{rank}", 7, graph_text("g", layers(3)))
            self.write_dump(layers(3), "g", device=rank)
        for rank, best in enumerate(self.best()):
            self.assertEqual([dump["device"] for dump in best["dumps"]], [str(rank)])

    def test_a_dump_of_another_device_is_only_mentioned(self):
        # As where one rank of several is told to dump.
        for rank in range(2):
            self.write_graph(f"{100 + rank}_{rank}", 7, graph_text("g", layers(3)))
        self.write_dump(layers(3), "g", device=1)
        first, second = self.best()
        self.assertEqual((first["dumps"], first["other_devices"]), ([], ["1"]))
        self.assertEqual((second["dumped"], second["other_devices"]), (3, []))

    def test_names_of_mapping_csv_are_followed(self):
        ops = layers(3)
        self.write_graph("100_0", 1, graph_text("g", ops))
        self.write_dump(ops, "g", mapping={ops[1][0]})
        best, = self.best()
        self.assertEqual((best["dumped"], best["missing"]), (3, 0))
        self.assertEqual(best["dumps"][0]["renamed"], 1)

    def test_operators_without_a_file_are_expected_or_missing(self):
        ops = layers(2) + [("w", "Const"), ("cond", "If"),
                           ("fused", "Relu", [("_no_task", "b: true")]),
                           ("kept", "Relu", [("_no_task", "b: false")])]
        self.write_graph("100_0", 1, graph_text("g", ops))
        self.write_dump(layers(1), "g")
        best, = self.best()
        self.assertEqual((best["dumped"], best["expected_without_file"], best["missing"]),
                         (1, 3, 2))
        self.assertEqual(best["missing_names"], ["Conv2D layer/conv.1", "Relu kept"])

    def test_steps_and_models_are_listed_in_the_order_of_numbers(self):
        self.write_graph("100_0", 1, graph_text("g", layers(1)))
        for step in (10, 2, 0):
            self.write_dump(layers(1), "g", step=step)
        best, = self.best()
        self.assertEqual(best["dumps"][0]["steps"], {"11": ["0", "2", "10"]})

    def test_files_of_overflows_and_of_others_are_counted_apart(self):
        self.write_graph("100_0", 1, graph_text("g", layers(1)))
        folder = self.write_dump(layers(1), "g")
        (folder / "11/0/Opdebug.Node_OpDebug.21.3.1597922031178434").touch()
        (folder / "11/0/notes.txt").touch()
        (folder / "11/0/Conv2D.old_release.5.1589195081588018").touch()
        dump = self.best()[0]["dumps"][0]
        self.assertEqual((dump["files"], dump["overflow"], dump["unknown"]), (2, 1, 1))

    def test_an_operator_chooses_the_graph(self):
        self.write_graph("100_0", 1, graph_text("a", layers(4, "a")))
        self.write_graph("100_0", 2, graph_text("b", layers(2, "b")))
        found = self.find("--graphs", "graphs", "--op", "b/conv.1")
        self.assertEqual(found["graphs"][0]["graph"], "b")

    def test_a_part_of_a_name_leaves_other_graphs_out(self):
        self.write_graph("100_0", 1, graph_text("a", layers(4, "a")))
        self.write_graph("100_0", 2, graph_text("b", layers(2, "b")))
        (graph,) = self.find("--graphs", "graphs", "--op", "b/conv")["graphs"]
        self.assertEqual(graph["graph"], "b")
        self.assertIn("b/conv.1", graph["op_names"])

    def test_a_part_that_no_name_has_is_1(self):
        self.write_graph("100_0", 1, graph_text("a", layers(4, "a")))
        self.assertEqual(self.find("--graphs", "graphs", "--op", "lstm", code=1)["graphs"], [])
        result = self.run_for(1, "find-graph", "--graphs", "graphs", "--op", "lstm")
        self.assertIn(b"none of the 1 graphs holds an operator", result.stderr)

    def test_several_graphs_of_one_file_are_told_apart(self):
        text = graph_text("outer", layers(2)) + graph_text("inner", layers(5))
        self.write_graph("100_0", 1, text)
        self.write_dump(layers(5), "inner")
        best, = self.best()
        self.assertEqual((best["graph"], best["ops"], best["dumped"]), ("inner", 5, 5))

    def test_a_graph_on_one_line_is_read_as_well(self):
        text = graph_text("g", layers(2)).replace("\n", " ")
        self.write_graph("100_0", 1, text)
        self.write_dump(layers(2), "g")
        self.assertEqual(self.best()[0]["dumped"], 2)

    def test_pieces_of_a_file_may_end_anywhere(self):
        ops = [(f"scope/op_{i}", "MatMul") for i in range(3000)]
        self.write_graph("100_0", 1, graph_text("g", ops, filler=700))  # more than two pieces
        self.write_dump(ops, "g")
        self.assertEqual(self.best()[0]["dumped"], 3000)

    def test_other_files_and_broken_graphs_are_no_trouble(self):
        self.write("graphs/100_0/ge_proto_1_PreRun.txt", graph_text("other", layers(3)))
        self.write_graph("100_0", 1, b"\xff\x00graph {{{{ name \"" + b"}" * 100)
        self.write_graph("100_0", 2, graph_text("g", layers(2))[:-40])
        self.write_dump(layers(2), "g")
        best, = self.best()
        self.assertEqual((best["graph"], best["dumped"]), ("g", 1))


class Command(Tree):
    def test_says_what_it_found(self):
        self.write_graph("100_0", 1, graph_text("g", layers(2)))
        folder = self.write_dump(layers(1), "g")
        result = self.run_for(0, "find-graph", "--graphs", "graphs", "--dump", "dump")
        text = result.stdout.decode()
        self.assertIn("graph: g\n", text)
        self.assertIn(f"dump: {folder.resolve()}\n", text)
        self.assertIn("missing: Conv2D layer/conv.1\n"
                      "    (operators of a branch that was not taken leave no file, either)\n", text)

    def test_graphs_that_fit_alike_are_a_doubt(self):
        self.write_graph("100_0", 1, graph_text("a", layers(2)))
        self.write_graph("100_0", 2, graph_text("b", layers(2)))
        result = self.run_for(1, "find-graph", "--graphs", "graphs")
        self.assertIn(b"another graph of this process fits as well", result.stderr)

    def test_the_same_graph_in_two_files_is_no_doubt_and_the_last_is_taken(self):
        for sequence in (3, 12):
            self.write_graph("100_0", sequence, graph_text("a", layers(2)))
        result = self.run_for(0, "find-graph", "--graphs", "graphs")
        self.assertIn(b"ge_proto_00000012_Build.txt", result.stdout)

    def test_nothing_found_is_1_and_a_missing_folder_is_2(self):
        self.write("graphs/readme.txt", "no graph")
        result = self.run_for(1, "find-graph", "--graphs", "graphs")
        self.assertIn(b"no graph found", result.stderr)
        self.run_for(2, "find-graph", "--graphs", "no-such-folder")
        self.run_for(2, "find-graph", "--graphs", "graphs", "--dump", "no-such-folder")

    def test_a_dump_of_another_run_is_said_to_be_one(self):
        self.write_graph("100_0", 1, graph_text("g", layers(2)))
        self.write_dump(layers(2), "other")
        result = self.run_for(1, "find-graph", "--graphs", "graphs", "--dump", "dump")
        self.assertIn(b"none of the 1 graphs has a folder in the dump, which has 1", result.stderr)

    def test_the_folder_of_graphs_comes_from_the_environment(self):
        self.write_graph("100_0", 1, graph_text("g", layers(2)))
        place = str(self.folder / "graphs")
        self.write("empty/readme.txt", "")
        empty = self.folder / "empty"
        self.run_for(1, "find-graph", cwd=empty)
        self.run_for(0, "find-graph", cwd=empty, env={"DUMP_GRAPH_PATH": place})

    def test_links_are_not_followed(self):
        self.write_graph("100_0", 1, graph_text("g", layers(2)))
        os.symlink("..", self.folder / "graphs/100_0/loop")
        self.run_for(0, "find-graph", "--graphs", "graphs", timeout=30)


class LargeTrees(Tree):
    def check(self, graphs, ops, filler, limit):
        """Four ranks; of each several graphs, none with an iterator."""
        chosen = [(f"scope/op_{i}", "MatMul") for i in range(ops)]
        for rank in range(4):
            for sequence in range(graphs):
                text = graph_text(f"ge_{rank}_{sequence}", chosen, filler=filler)
                self.write_graph(f"{100 + rank}_{rank}", sequence, text)
            self.write_dump(chosen[:50], f"ge_{rank}_1", device=rank, mapping={chosen[3][0]})

        best = self.best(preexec_fn=memory_limit(resource.RLIMIT_AS, limit), timeout=300)
        self.assertEqual([b["graph"] for b in best], [f"ge_{rank}_1" for rank in range(4)])
        self.assertEqual([b["dumped"] for b in best], [50] * 4)
        self.assertEqual([b["dumps"][0]["renamed"] for b in best], [1] * 4)

    def test_graphs_of_some_megabytes(self):
        self.check(graphs=3, ops=400, filler=2000, limit=256 << 20)

    @unittest.skipUnless(LONG, "long")
    def test_a_gigabyte_of_graphs_takes_no_more_memory(self):
        self.check(graphs=4, ops=16000, filler=4000, limit=256 << 20)


if __name__ == "__main__":
    unittest.main()
