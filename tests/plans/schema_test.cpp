// The published schemas: what is committed is what the tables say, and they accept what the program accepts and writes.
#include <Poco/JSON/Parser.h>
#include <gtest/gtest.h>

#include <valijson/adapters/poco_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "base/json.h"
#include "config/reader.h"
#include "plans/corpus.h"
#include "support/golden.h"
#include "support/tool.h"

namespace sanduk::test {
namespace {

namespace fs = std::filesystem;

const fs::path schemas = fs::path(SANDUK_SOURCE_DIR) / "schemas";

Poco::Dynamic::Var parsed(const std::string& json) {
  Poco::JSON::Parser parser;
  return parser.parse(json);
}

class SchemaFile {
 public:
  explicit SchemaFile(const std::string& name) : document_(parsed(read_whole(schemas / (name + ".schema.json")))) {
    valijson::SchemaParser parser;
    parser.populateSchema(valijson::adapters::PocoJsonAdapter(document_), schema_);
  }

  // Empty when the schema accepts; else the deepest fault.
  std::string fault(const std::string& json) const {
    const Poco::Dynamic::Var value = parsed(json);
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    valijson::ValidationResults results;
    if (validator.validate(schema_, valijson::adapters::PocoJsonAdapter(value), &results)) return "";
    valijson::ValidationResults::Error error;
    std::string words = "refused";
    while (results.popError(error)) {
      words = error.description;
      for (const std::string& step : error.context) words += " " + step;
    }
    return words;
  }

 private:
  Poco::Dynamic::Var document_;
  valijson::Schema schema_;
};

void write_node(JsonWriter& json, const Node& node) {
  switch (node.kind) {
    case Node::Kind::table:
      json.begin_object();
      for (const Entry& entry : node.entries) {
        json.key(entry.key);
        write_node(json, entry.value);
      }
      json.end_object();
      break;
    case Node::Kind::array:
      json.begin_array();
      for (const Node& item : node.items) write_node(json, item);
      json.end_array();
      break;
    case Node::Kind::boolean:
      json.boolean(node.boolean);
      break;
    case Node::Kind::integer:
      json.integer(node.integer);
      break;
    case Node::Kind::floating:
      json.number(node.floating);
      break;
    case Node::Kind::null:
      json.null();
      break;
    default:
      json.string(node.text);
  }
}

TEST(Schema, AgreesWithTheValidatorOverTheCorpus) {
  const SchemaFile schema("profile");
  std::size_t asked = 0;
  for (const CorpusCase& one : corpus_cases()) {
    if (one.schema == "-" || one.file.ends_with(".yaml")) continue;
    Diagnostics problems;
    const auto document =
        read_document_file(fs::path(SANDUK_SOURCE_DIR) / "tests/corpus" / one.file, one.file, problems);
    ASSERT_TRUE(document) << one.file;
    JsonWriter json;
    write_node(json, document->root);
    const std::string fault = schema.fault(json.text());
    EXPECT_EQ(fault.empty(), one.schema == "yes") << one.file << ": " << fault;
    ++asked;
  }
  EXPECT_GE(asked, 150U);
}

TEST(Schema, AcceptsEveryShippedProfile) {
  const SchemaFile schema("profile");
  for (const auto& entry : fs::directory_iterator(fs::path(SANDUK_SOURCE_DIR) / "profiles")) {
    Diagnostics problems;
    const auto document = read_document_file(entry.path(), entry.path().string(), problems);
    ASSERT_TRUE(document) << entry.path();
    JsonWriter json;
    write_node(json, document->root);
    EXPECT_EQ(schema.fault(json.text()), "") << entry.path();
  }
}

TEST(Schema, AcceptsEveryPlanAndRefusesAnother) {
  const SchemaFile schema("plan");
  Scratch scratch;
  for (const char* words : {"sanduk:sealed", "sanduk:open", "sanduk:review", "sanduk:ci"}) {
    const ToolRun run = run_tool(scratch, {"plan", words, "--task", "x", "--json"});
    ASSERT_EQ(run.code, 0) << run.errors;
    EXPECT_EQ(schema.fault(run.output), "") << words;
  }
  EXPECT_NE(schema.fault("{}"), "");
}

TEST(Schema, AcceptsEveryListOfDiagnostics) {
  const SchemaFile schema("diagnostics");
  Scratch scratch;
  scratch.write("work/bad.toml", "modle = 1\n[network]\nmode = \"seald\"\n");
  scratch.write("work/good.toml", "task = \"x\"\n");
  for (const auto& [file, code] : {std::pair{"bad.toml", 2}, {"good.toml", 0}, {"missing.toml", 2}}) {
    const ToolRun run = run_tool(scratch, {"validate", "--json", file});
    EXPECT_EQ(run.code, code);
    EXPECT_EQ(schema.fault(run.output), "") << run.output;
    EXPECT_EQ(run.errors, "");
  }
}

// Committed outputs are what the program writes: with SANDUK_ACCEPT=1 they are written anew.
TEST(Schema, WhatIsCommittedIsWhatTheTablesSay) {
  Scratch scratch;
  for (const char* name : {"profile", "plan", "policy", "diagnostics", "record"}) {
    const ToolRun run = run_tool(scratch, {"schema", name});
    ASSERT_EQ(run.code, 0) << run.errors;
    EXPECT_EQ(difference_from(schemas / (std::string(name) + ".schema.json"), run.output), "") << name;
  }
  EXPECT_EQ(difference_from(schemas / "README.md", run_tool(scratch, {"schema", "reference"}).output), "");
  SKIP_WHEN_ACCEPTING();
}

}  // namespace
}  // namespace sanduk::test
