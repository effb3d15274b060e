// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace transplt {

// The named nodes of tree-sitter-python 0.25, under the grammar's own names.
#define TRANSPLT_NODE_KINDS(X)                            \
  X(kModule, "module")                                    \
  X(kError, "ERROR")                                      \
  X(kComment, "comment")                                  \
  X(kLineContinuation, "line_continuation")               \
  X(kIdentifier, "identifier")                            \
  X(kDottedName, "dotted_name")                           \
  X(kAttribute, "attribute")                              \
  X(kCall, "call")                                        \
  X(kArgumentList, "argument_list")                       \
  X(kKeywordArgument, "keyword_argument")                 \
  X(kListSplat, "list_splat")                             \
  X(kDictionarySplat, "dictionary_splat")                 \
  X(kParenthesizedListSplat, "parenthesized_list_splat")  \
  X(kSubscript, "subscript")                              \
  X(kSlice, "slice")                                      \
  X(kString, "string")                                    \
  X(kStringStart, "string_start")                         \
  X(kStringContent, "string_content")                     \
  X(kStringEnd, "string_end")                             \
  X(kEscapeSequence, "escape_sequence")                   \
  X(kEscapeInterpolation, "escape_interpolation")         \
  X(kInterpolation, "interpolation")                      \
  X(kFormatSpecifier, "format_specifier")                 \
  X(kConcatenatedString, "concatenated_string")           \
  X(kInteger, "integer")                                  \
  X(kFloat, "float")                                      \
  X(kTrue, "true")                                        \
  X(kFalse, "false")                                      \
  X(kNone, "none")                                        \
  X(kEllipsis, "ellipsis")                                \
  X(kTuple, "tuple")                                      \
  X(kList, "list")                                        \
  X(kSet, "set")                                          \
  X(kDictionary, "dictionary")                            \
  X(kPair, "pair")                                        \
  X(kListComprehension, "list_comprehension")             \
  X(kSetComprehension, "set_comprehension")               \
  X(kDictionaryComprehension, "dictionary_comprehension") \
  X(kGeneratorExpression, "generator_expression")         \
  X(kForInClause, "for_in_clause")                        \
  X(kIfClause, "if_clause")                               \
  X(kParenthesizedExpression, "parenthesized_expression") \
  X(kConditionalExpression, "conditional_expression")     \
  X(kBooleanOperator, "boolean_operator")                 \
  X(kNotOperator, "not_operator")                         \
  X(kUnaryOperator, "unary_operator")                     \
  X(kBinaryOperator, "binary_operator")                   \
  X(kComparisonOperator, "comparison_operator")           \
  X(kNamedExpression, "named_expression")                 \
  X(kLambda, "lambda")                                    \
  X(kLambdaParameters, "lambda_parameters")               \
  X(kAwait, "await")                                      \
  X(kYield, "yield")                                      \
  X(kExpressionList, "expression_list")                   \
  X(kPatternList, "pattern_list")                         \
  X(kTuplePattern, "tuple_pattern")                       \
  X(kListPattern, "list_pattern")                         \
  X(kListSplatPattern, "list_splat_pattern")              \
  X(kDictionarySplatPattern, "dictionary_splat_pattern")  \
  X(kAsPattern, "as_pattern")                             \
  X(kAsPatternTarget, "as_pattern_target")                \
  X(kCasePattern, "case_pattern")                         \
  X(kClassPattern, "class_pattern")                       \
  X(kKeywordPattern, "keyword_pattern")                   \
  X(kSplatPattern, "splat_pattern")                       \
  X(kExpressionStatement, "expression_statement")         \
  X(kAssignment, "assignment")                            \
  X(kAugmentedAssignment, "augmented_assignment")         \
  X(kImportStatement, "import_statement")                 \
  X(kImportFromStatement, "import_from_statement")        \
  X(kFutureImportStatement, "future_import_statement")    \
  X(kAliasedImport, "aliased_import")                     \
  X(kRelativeImport, "relative_import")                   \
  X(kImportPrefix, "import_prefix")                       \
  X(kWildcardImport, "wildcard_import")                   \
  X(kPrintStatement, "print_statement")                   \
  X(kExecStatement, "exec_statement")                     \
  X(kReturnStatement, "return_statement")                 \
  X(kDeleteStatement, "delete_statement")                 \
  X(kRaiseStatement, "raise_statement")                   \
  X(kPassStatement, "pass_statement")                     \
  X(kBreakStatement, "break_statement")                   \
  X(kAssertStatement, "assert_statement")                 \
  X(kGlobalStatement, "global_statement")                 \
  X(kNonlocalStatement, "nonlocal_statement")             \
  X(kTypeAliasStatement, "type_alias_statement")          \
  X(kIfStatement, "if_statement")                         \
  X(kElifClause, "elif_clause")                           \
  X(kElseClause, "else_clause")                           \
  X(kForStatement, "for_statement")                       \
  X(kWhileStatement, "while_statement")                   \
  X(kTryStatement, "try_statement")                       \
  X(kExceptClause, "except_clause")                       \
  X(kFinallyClause, "finally_clause")                     \
  X(kWithStatement, "with_statement")                     \
  X(kWithClause, "with_clause")                           \
  X(kWithItem, "with_item")                               \
  X(kMatchStatement, "match_statement")                   \
  X(kCaseClause, "case_clause")                           \
  X(kBlock, "block")                                      \
  X(kFunctionDefinition, "function_definition")           \
  X(kClassDefinition, "class_definition")                 \
  X(kDecoratedDefinition, "decorated_definition")         \
  X(kDecorator, "decorator")                              \
  X(kParameters, "parameters")                            \
  X(kDefaultParameter, "default_parameter")               \
  X(kTypedParameter, "typed_parameter")                   \
  X(kTypedDefaultParameter, "typed_default_parameter")    \
  X(kType, "type")                                        \
  X(kTypeParameter, "type_parameter")                     \
  X(kGenericType, "generic_type")                         \
  X(kUnionType, "union_type")                             \
  X(kMemberType, "member_type")

enum class NodeKind : uint16_t {
  kToken,       ///< punctuation, operators, keywords
  kOtherNamed,  ///< a named node that no part of the product asks for
  kNull,        ///< of a null node
#define X(name, text) name,
  TRANSPLT_NODE_KINDS(X)
#undef X
      kCount,
};

/// The role of a node in its parent; the grammar's fields, in the grammar's order.
enum class Field : uint8_t {
  kNone,
  kAlias,
  kAlternative,
  kArgument,
  kArguments,
  kAttribute,
  kBody,
  kCause,
  kCode,
  kCondition,
  kConsequence,
  kDefinition,
  kExpression,
  kFormatSpecifier,
  kFunction,
  kGuard,
  kKey,
  kLeft,
  kModuleName,
  kName,
  kObject,
  kOperator,
  kOperators,
  kParameters,
  kReturnType,
  kRight,
  kSubject,
  kSubscript,
  kSuperclasses,
  kType,
  kTypeConversion,
  kTypeParameters,
  kValue,
};

}  // namespace transplt
