// An agent's image as a container engine understands it: argv out, answers read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace sanduk {

// `ENGINE image inspect …`: succeeds where the image exists, and prints what read_image_facts reads.
std::vector<std::string> image_facts_command(const std::string& engine, const std::string& ref);

struct ImageFacts {
  std::string id;                         // "sha256:…": what a run uses, whatever the name comes to mean meanwhile
  std::optional<std::int64_t> agent_uid;  // label sanduk.agent-uid, the user that the image was built for
  std::optional<std::int64_t> agent_gid;
  std::string user;  // as the image sets it: "1000:1000"
};
ImageFacts read_image_facts(std::string_view output);

// `ENGINE build …` of `image` from `containerfile`, with the files of `context`. The variables named by
// `from_environment` become build arguments by name, so that no value of theirs stands in a list of processes.
std::vector<std::string> build_command(const std::string& engine, const PlannedImage& image, const std::string& context,
                                       const std::string& containerfile,
                                       const std::vector<std::string>& from_environment = {});

}  // namespace sanduk
