// Words in braces that stand for values: {model}, {relay}. What looks like one but has no value here stays as it is.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace sanduk {

using Values = std::map<std::string, std::string>;

// The names in `text`, in order: small letters, digits and underscores between braces. JSON's own braces are none, nor
// is ${name}.
std::vector<std::string> placeholders_in(const std::string& text);

// `text` with values put in, in one pass: a value is not looked at again. In a text that is a JSON object, values are
// escaped as JSON strings are.
std::string fill(const std::string& text, const Values& values);

}  // namespace sanduk
