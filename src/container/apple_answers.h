// What Apple's `container` answers: JSON, where other engines fill in a template. Read from its documents and sources.
#pragma once

#include <Poco/JSON/Object.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "container/box.h"

namespace sanduk {

// A thing with our labels; nothing where it has none.
std::optional<ListedBox> from_labels(const std::string& name, const std::string& state,
                                     const Poco::JSON::Object::Ptr& labels);

// `list --all --format json`: those of ours. Throws RunError (Failure::host, "engine-answer"), as read_list does.
std::vector<ListedBox> read_apple_list(std::string_view output);

// `inspect`: "running", "exited", …; empty where there is no such container.
std::string read_apple_status(std::string_view answer);

// `image inspect`.
ImageAnswer read_apple_image(std::string_view answer);

}  // namespace sanduk
