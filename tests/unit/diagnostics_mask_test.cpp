// Keys of many shapes at many places: whatever is shown of a file with a fault, no piece of a key is in it.
#include <gtest/gtest.h>

#include "base/text.h"
#include "config/reader.h"
#include "diagnostics/mask.h"
#include "diagnostics/render.h"
#include "profile/load.h"
#include "support/scratch.h"

namespace sanduk {
namespace {

const std::vector<std::string> keys = {
    "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdEfGhIjKlMnOp",
    "sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
    "sk-or-v1-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "ghp_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
    "github_pat_11ABCDEFG0AbCdEfGhIjKl_MnOpQrStUvWxYz0123456789",
    "glpat-AbCdEfGhIjKlMnOpQrSt",
    "xoxb-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx",
    "AKIAIOSFODNN7EXAMPLE",
    "AIzaSyA-0123456789abcdefghijklmnopqrstu",
    "hf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567",
    "gsk_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOp",
    "npm_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "0123456789abcdef0123456789abcdef",
    "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCd",
};

// Whether `shown` holds six characters in a row of `key`. Prefixes that every key of an issuer has say nothing.
std::string piece_in(const std::string& shown, const std::string& key) {
  const std::size_t from = std::min<std::size_t>(key.size() / 3, 13);
  for (std::size_t at = from; at + 6 <= key.size(); ++at) {
    if (shown.find(key.substr(at, 6)) != std::string::npos) return key.substr(at, 6);
  }
  return "";
}

std::string everything_shown(const Diagnostics& problems) {
  return render_text(problems, {true}) + render_text(problems) + render_json(problems);
}

// Loads `text` as a profile and gives all that a user, an editor or a log could see of it.
std::string shown_of(const std::string& text, const char* extension) {
  const test::Scratch scratch;
  const auto file = scratch.write(std::string("work/profile") + extension, text);
  World world;
  Diagnostics problems;
  load_profile({file.string()}, Document{}, world, problems);
  return everything_shown(problems);
}

TEST(Mask, HidesEveryShapeOfKey) {
  for (const std::string& key : keys) {
    EXPECT_TRUE(looks_like_key(key)) << key;
    EXPECT_EQ(piece_in(masked("x " + key + " y"), key), "") << key;
    EXPECT_EQ(masked("x " + key + " y").size(), key.size() + 4);  // columns stay
    EXPECT_EQ(piece_in(masked("NAME=" + key), key), "") << key;
    EXPECT_EQ(piece_in(masked("https://gateway.example/?k=" + key), key), "") << key;
    EXPECT_EQ(piece_in(masked("{\"authorization\":\"Bearer " + key + "\"}"), key), "") << key;
  }
}

TEST(Mask, HidesWhatANameGivesAway) {
  for (const char* line :
       {"key = \"hunter2hunter\"", "api_key: hunter2hunter", "GITHUB_TOKEN=hunter2hunter", "password = 'hunter2hunter'",
        "\"client-secret\" : \"hunter2hunter\"", "https://user:hunter2hunter@host", "https://hunter2hunter@host/x",
        "key = hunter2hunter # note", "{key: hunter2hunter}", "key   =   \"hunter2hunter", "passwd=hunter2hunter,x=1",
        "key = \"\"\"hunter2hunter\"\"\"", "key = '''hunter2hunter'''", "key: |  hunter2hunter",
        "key=\"hunter2 hunter\""}) {
    EXPECT_EQ(masked(line).find("hunter2"), std::string::npos) << masked(line);
  }
}

TEST(Mask, LeavesOrdinaryWordsReadable) {
  for (const char* line :
       {"model = \"claude-opus-5\"", "key = \"env:ANTHROPIC_API_KEY\"", "key = \"file:~/.keys/anthropic\"",
        "key = \"command:pass show anthropic\"", "key: none", "max_tokens = 32000", "tokens = 2_000_000",
        "upstream = \"https://gateway.example:8080\"", "ref = \"registry.example/team/sanduk-claude:2.1.332-u1000\"",
        "protect = [\".git/hooks\", \".git/config\"]", "x-api-key: {token}", "key_check = false",
        "extends = \"sanduk:sealed\"", "task = \"Review the key schedule: it rotates.\""}) {
    EXPECT_EQ(masked(line), line);
  }
}

// One line of a profile for each place where a key could be written, "@" for the key. All of these are faults.
const std::vector<std::string> toml_places = {
    "[provider]\nkey = \"@\"\nmodle = 1\n",
    "[provider]\nkey = \"@\n",
    "[provider]\nkey = '@'\nkey = 1\n",
    "[provider]\nkey = @\n",
    "[provider]\nkey = [\"@\"]\n",
    "[provider]\nkey = { value = \"@\" }\n",
    "[provider]\nname = \"@\"\nkeyy = \"@\"\n",
    "[provider]\nupstream = \"https://user:@@gateway.example\"\nx = 1\n",
    "[agent]\nmodel = [\"@\"]\n",
    "[agent.env]\nGITHUB_TOKEN = [\"@\"]\n",
    "[agent.env]\n\"@\" = [1]\n",
    "[network]\nmode = \"@\"\n",
    "[log]\nbodies = \"@\"\n",
    "\"@\" = 1\n",
    "[\"@\"]\nx = 1\n",
    "[\"@\".\"@\"]\nx = 1\n",
    "@ = 1\n@ = 2\n",
    "[@]\n[@]\n",
    "@\n",
    "extends = \"sanduk:@\"\n",
    "extends = \"@.toml\"\n",
    "task = \"${@}\"\n",
    "name = \"x\" # @\nmodle = 1 # @\n",
    "[caps]\ntimeout = \"@\"\nmemory = \"@\"\npids = \"@\"\ncpus = \"@\"\n",
    "[workspace]\nmounts = [\"@\"]\npath = [\"@\"]\n",
    "[provider]\nkey = \"\"\"\n@\n\"\"\"\nx = 1\n",
    "a = 1\nkey = \"@\" b = 2\n",
};

TEST(Mask, NeverShowsAKeyOfATomlProfile) {
  for (const std::string& key : keys) {
    for (const std::string& place : toml_places) {
      const std::string shown = shown_of(replace_all(place, "@", key), ".toml");
      EXPECT_NE(shown.find("error["), std::string::npos) << place;
      EXPECT_EQ(piece_in(shown, key), "") << "of " << key << " in\n" << place << "\n" << shown;
    }
  }
}

const std::vector<std::string> yaml_places = {
    "provider:\n  key: @\n  modle: 1\n",
    "provider:\n  key: \"@\n",
    "provider: {key: @\n",
    "provider: {key: [@]}\n",
    "provider:\n  key: @\n  key: @\n",
    "provider:\n  key: !!str @\n",
    "provider:\n  key: &a @\n",
    "provider:\n  key: *@\n",
    "provider: @\n",
    "- @\n",
    "@: 1\n",
    "? [@]\n: 1\n",
    "network: {mode: @}\n",
    "caps: {pids: @, cpus: @, memory: @, timeout: @}\n",
    "caps: {pids: '@'}\n",
    "image: {rebuild: @}\n",
    "allow: {models: @}\n",
    "agent:\n  env:\n    TOKEN: [@]\n",
    "agent:\n  env: @\n",
    "\tkey: @\n",
    "key: @: @\n",
    "extends: sanduk:@\n",
    "workspace: {mounts: [@]}\n",
    "@\n",
};

TEST(Mask, NeverShowsAKeyOfAYamlProfile) {
  for (const std::string& key : keys) {
    for (const std::string& place : yaml_places) {
      const std::string shown = shown_of(replace_all(place, "@", key), ".yaml");
      EXPECT_NE(shown.find("error["), std::string::npos) << place;
      EXPECT_EQ(piece_in(shown, key), "") << "of " << key << " in\n" << place << "\n" << shown;
    }
  }
}

// Messages, labels, notes and help are masked wherever they come from: the renderer is the last gate.
TEST(Mask, IsTheRenderersLastGate) {
  for (const std::string& key : keys) {
    const auto source = std::make_shared<Source>(Source{"file-" + key + ".toml", "x = \"" + key + "\"\n"});
    Diagnostics problems;
    problems.add(error("bad-value", "`x` cannot be " + key)
                     .at({source, 1, 5, key.size() + 2}, "is " + key)
                     .note("note " + key)
                     .with_help("use " + key));
    EXPECT_EQ(piece_in(everything_shown(problems), key), "") << everything_shown(problems);
  }
}

}  // namespace
}  // namespace sanduk
