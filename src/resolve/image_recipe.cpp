#include "resolve/image_recipe.h"

#include <algorithm>

#include "base/text.h"
#include "diagnostics/mask.h"
#include "plan/plan_json.h"

namespace sanduk {
namespace {

bool made_of(const std::string& text, std::string_view more) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || more.find(c) != std::string_view::npos;
  });
}

// NAME or NAME=VERSION, as apt-get takes it: nothing that could pass for a flag or a second word.
bool is_apt_package(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  return made_of(name, "+-.:") && std::isalnum(static_cast<unsigned char>(name[0])) != 0 &&
         (equals == std::string::npos || made_of(text.substr(equals + 1), "+-.:~"));
}

// NAME@VERSION or @SCOPE/NAME@VERSION; a version that is a range or a tag is none.
bool is_pinned_npm_package(const std::string& text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos || at == 0) return false;
  const std::string version = text.substr(at + 1);
  return made_of(text.substr(0, at), "@/-._") && made_of(version, "-.+") &&
         std::isdigit(static_cast<unsigned char>(version[0])) != 0 && version.find('.') != std::string::npos;
}

bool is_one_line(const std::string& text) {
  return !trim(text).empty() && text.find_first_of("\n\r") == std::string::npos && !text.ends_with('\\');
}

void check(Resolution& r, const char* key, const Setting<TextList>& list, bool (*is_good)(const std::string&),
           const char* help) {
  for (const ListItem& item : *list) {
    if (is_good(item.text)) continue;
    r.problems.add(error("bad-value", "`" + std::string(key) + "`: `" + masked(item.text) + "` cannot be added")
                       .at(item.span)
                       .with_help(help));
  }
}

std::string words(const TextList& list) {
  std::string text;
  for (const ListItem& item : list) text += " " + item.text;
  return text;
}

}  // namespace

void resolve_recipe(Resolution& r) {
  const Profile::Image& image = r.profile.image;
  if (image.add_apt->empty() && image.add_npm->empty() && image.add_run->empty()) return;
  check(r, "image.add.apt", image.add_apt, is_apt_package, "write NAME or NAME=VERSION");
  check(r, "image.add.npm", image.add_npm, is_pinned_npm_package, "write NAME@VERSION, with the whole version");
  check(r, "image.add.run", image.add_run, is_one_line, "write one command on one line");

  PlannedImage& planned = r.plan.image;
  std::string text = "# On top of " + planned.ref + ": what the profile adds.\nFROM " + planned.ref + "\nUSER 0:0\n";
  if (!image.add_apt->empty()) {
    text +=
        "RUN set -eu; export DEBIAN_FRONTEND=noninteractive; apt-get update -q; apt-get install -q -y "
        "--no-install-recommends" +
        words(*image.add_apt) + "; apt-get clean; rm -rf /var/lib/apt/lists/*\n";
  }
  if (!image.add_npm->empty()) {
    text +=
        "ARG NPM_CONFIG_REGISTRY\nRUN export NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt; npm install "
        "--global --no-audit --no-fund" +
        words(*image.add_npm) + " && rm -rf /root/.npm\n";
  }
  for (const ListItem& command : *image.add_run) text += "RUN " + command.text + "\n";
  text += "USER " + std::to_string(r.plan.user.uid) + ":" + std::to_string(r.plan.user.gid) + "\n";

  planned.base_ref = planned.ref;
  planned.recipe = text;
  const std::size_t slash = planned.base_ref.rfind('/');
  const std::size_t colon = planned.base_ref.find_first_of(":@", slash == std::string::npos ? 0 : slash);
  std::string name = slash == std::string::npos ? planned.base_ref.substr(0, colon)
                                                : planned.base_ref.substr(slash + 1, colon - slash - 1);
  if (!name.starts_with("sanduk-")) name = "sanduk-" + lower(name);
  planned.ref = name + ":added-u" + std::to_string(r.plan.user.uid) + "-" + sha256_hex(text).substr(0, 12);
}

}  // namespace sanduk
