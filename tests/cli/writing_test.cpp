// What sanduk writes for people, editors and shells: init, explain, completions, the manual.
#include <gtest/gtest.h>

#include <regex>

#include "base/process.h"
#include "base/text.h"
#include "support/tool.h"

namespace sanduk::test {
namespace {

namespace fs = std::filesystem;

const fs::path sources = fs::path(SANDUK_SOURCE_DIR) / "src";

ProcessResult shell(const std::string& script, const std::string& input) {
  Command command;
  command.argv = {"sh", "-c", script};
  command.input = input;
  return run_process(command, std::chrono::seconds(20));
}

TEST(Init, WritesAProfileThatIsValidAndNeverOverwrites) {
  Scratch scratch;
  ASSERT_EQ(run_tool(scratch, {"init"}).code, 0);
  const std::string text = read_whole(scratch.work() / "sanduk.toml");
  const ToolRun valid = run_tool(scratch, {"validate", "sanduk.toml"});
  EXPECT_EQ(valid.code, 0) << valid.errors;
  const ToolRun again = run_tool(scratch, {"init"});
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.errors.find("error[file-exists]"), std::string::npos) << again.errors;
  EXPECT_EQ(read_whole(scratch.work() / "sanduk.toml"), text);
  EXPECT_EQ(run_tool(scratch, {"init", "other.toml"}).code, 0);
  EXPECT_EQ(run_tool(scratch, {"init", "other.ini"}).code, 2);
}

// Every line of it that is a comment is a setting that may be taken in.
TEST(Init, EverySettingInItIsOne) {
  Scratch scratch;
  ASSERT_EQ(run_tool(scratch, {"init"}).code, 0);
  std::string text;
  for (std::string line : split(read_whole(scratch.work() / "sanduk.toml"), '\n')) {
    const bool is_setting = line.starts_with("# ") && std::regex_search(line, std::regex("^# [a-z_]+ = "));
    text += (is_setting ? line.substr(2) : line) + "\n";
  }
  scratch.write("work/all.toml", text);
  const ToolRun run = run_tool(scratch, {"validate", "all.toml"});
  for (const char* code : {"unknown-key", "syntax", "wrong-type", "duplicate-key"}) {
    EXPECT_EQ(run.errors.find(std::string("error[") + code), std::string::npos) << run.errors;
  }
}

// The words that the sources put into messages, against the table behind `sanduk explain`.
TEST(RelayLimits, ArePrintedWithoutAProfile) {
  Scratch scratch;
  const ToolRun text = run_tool(scratch, {"relay", "--limits"});
  EXPECT_EQ(text.code, 0) << text.errors;
  EXPECT_NE(text.output.find("body_bytes           64 MiB    413, connection closed"), std::string::npos)
      << text.output;
  const ToolRun json = run_tool(scratch, {"relay", "--limits", "--json"});
  EXPECT_NE(json.output.find(R"("name": "body_bytes")"), std::string::npos) << json.output;
  const ToolRun nothing = run_tool(scratch, {"relay"});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_NE(nothing.errors.find("error[usage]: `sanduk relay` needs FILE..."), std::string::npos) << nothing.errors;
}

TEST(Explain, HasAParagraphForEveryCodeOfTheSources) {
  Scratch scratch;
  const std::string known = run_tool(scratch, {"explain"}).output;
  const std::regex said(
      R"re(\b(?:error|warning|fault|fail|ask_to_stop)\(\s*"([a-z]+(?:-[a-z]+)+|syntax|usage|locked|ceiling)"|string_view [a-z_]+ = "([a-z]+(?:-[a-z]+)+)")re");
  std::size_t found = 0;
  for (const auto& entry : fs::recursive_directory_iterator(sources)) {
    if (entry.path().extension() != ".cpp" && entry.path().filename() != "codes.h") continue;
    if (entry.path().string().find("/src/box/") != std::string::npos) continue;
    const std::string text = read_whole(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), said), end; at != end; ++at) {
      const bool is_list = entry.path().filename() == "codes.h";
      if (!(*at)[1].matched && !is_list) continue;
      const std::string code = (*at)[1].matched ? (*at)[1] : (*at)[2];
      EXPECT_NE(known.find("  " + code + "\n"), std::string::npos) << code << " in " << entry.path();
      ++found;
    }
  }
  EXPECT_GT(found, 100U);
}

TEST(Explain, SaysWhatIsMeantAndWhatIsNear) {
  Scratch scratch;
  EXPECT_EQ(run_tool(scratch, {"explain", "locked"}).output.find("locked: A base has"), 0U);
  const ToolRun near = run_tool(scratch, {"explain", "lokced"});
  EXPECT_EQ(near.code, 2);
  EXPECT_NE(near.errors.find("did you mean `locked`?"), std::string::npos) << near.errors;
}

TEST(Completions, AreScriptsThatTheShellTakes) {
  Scratch scratch;
  const ToolRun bash = run_tool(scratch, {"completions", "bash"});
  EXPECT_EQ(bash.code, 0) << bash.errors;
  EXPECT_TRUE(shell("bash -n", bash.output).ok());
  const ToolRun zsh = run_tool(scratch, {"completions", "zsh"});
  EXPECT_TRUE(shell("zsh -n /dev/stdin", zsh.output).ok());
  const ToolRun fish = run_tool(scratch, {"completions", "fish"});
  EXPECT_TRUE(shell("fish -n", fish.output).ok());
  EXPECT_EQ(run_tool(scratch, {"completions", "tcsh"}).code, 2);
}

TEST(Completions, BashAsksTheProgramForNames) {
  Scratch scratch;
  scratch.write("home/.config/sanduk/agents/mine.toml", "name = \"mine\"\nsummary = \"s\"\nreader = \"plain\"\n");
  const std::string script = "PATH=\"" + fs::path(SANDUK_BINARY).parent_path().string() + ":$PATH\" HOME=\"" +
                             scratch.home().string() +
                             "\" bash -c 'eval \"$(sanduk completions bash)\"; COMP_WORDS=(sanduk apply --agent \"\"); "
                             "COMP_CWORD=3; _sanduk; echo ${COMPREPLY[@]};"
                             " COMP_WORDS=(sanduk val); COMP_CWORD=1; _sanduk; echo ${COMPREPLY[@]}; "
                             "COMP_WORDS=(sanduk run --mode s); COMP_CWORD=3; _sanduk; echo ${COMPREPLY[@]}'";
  const ProcessResult run = shell(script, "");
  EXPECT_NE(run.output.find("claude"), std::string::npos) << run.output << run.errors;
  EXPECT_NE(run.output.find("mine"), std::string::npos) << run.output << run.errors;
  EXPECT_NE(run.output.find("\nvalidate\nsealed\n"), std::string::npos) << run.output << run.errors;
}

TEST(Completions, FishAsksTheProgramForNames) {
  Scratch scratch;
  scratch.write("home/.config/sanduk/agents/mine.toml", "name = \"mine\"\nsummary = \"s\"\nreader = \"plain\"\n");
  const std::string script = "PATH=\"" + fs::path(SANDUK_BINARY).parent_path().string() + ":$PATH\" HOME=\"" +
                             scratch.home().string() +
                             "\" fish -c 'sanduk completions fish | source; complete -C \"sanduk apply --agent \"; "
                             "complete -C \"sanduk val\"; complete -C \"sanduk run --mode s\"'";
  const ProcessResult run = shell(script, "");
  for (const char* const name : {"claude", "mine", "validate", "sealed"}) {
    EXPECT_NE(("\n" + run.output).find(std::string("\n") + name), std::string::npos)
        << name << run.output << run.errors;
  }
}

TEST(Manual, ListsEveryFlagOfTheHelp) {
  Scratch scratch;
  const std::string manual = replace_all(run_tool(scratch, {"man"}).output, "\\-", "-");
  const std::string help = run_tool(scratch, {"--help"}).output;
  const std::regex flag(R"(--[a-z][a-z-]+)");
  for (std::sregex_iterator at(help.begin(), help.end(), flag), end; at != end; ++at) {
    EXPECT_NE(manual.find(at->str()), std::string::npos) << at->str();
  }
}

TEST(List, EveryShippedProfileSaysWhenToUseIt) {
  Scratch scratch;
  const ToolRun run = run_tool(scratch, {"list", "profiles"});
  for (const char* name : {"sealed", "key-safe", "open", "run", "local-llama", "review", "ci"}) {
    EXPECT_TRUE(std::regex_search(run.output, std::regex("(^|\n)sanduk:" + std::string(name) + " +[A-Z]")))
        << name << "\n"
        << run.output;
  }
}

}  // namespace
}  // namespace sanduk::test
