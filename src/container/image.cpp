#include "container/image.h"

#include "base/text.h"
#include "container/engine_facts.h"

namespace sanduk {

std::vector<std::string> image_facts_command(const std::string& engine, const std::string& ref) {
  std::string format = "{{.Id}}";
  for (const char* label : {"sanduk.agent-uid", "sanduk.agent-gid"}) {
    format += std::string("\t{{index .Config.Labels \"") + label + "\"}}";
  }
  return {engine_facts(engine).program, "image", "inspect", "--format", format + "\t{{.Config.User}}", ref};
}

// A label that is not there prints as nothing, or as "<no value>": neither is a number.
ImageFacts read_image_facts(std::string_view output) {
  std::vector<std::string> words = split(trim(split(output, '\n').front()), '\t');
  words.resize(4);
  return {words[0], parse_decimal(words[1]), parse_decimal(words[2]), words[3]};
}

std::vector<std::string> build_command(const std::string& engine, const PlannedImage& image, const std::string& context,
                                       const std::string& containerfile,
                                       const std::vector<std::string>& from_environment) {
  // --force-rm: a build that fails leaves no container behind.
  std::vector<std::string> argv = {
      engine_facts(engine).program, "build", "--force-rm", "--tag", image.ref, "--file", containerfile};
  if (image.rebuild) argv.emplace_back("--no-cache");
  for (const Variable& argument : image.build_arguments) {
    argv.insert(argv.end(), {"--build-arg", argument.name + "=" + argument.value});
  }
  for (const std::string& name : from_environment) argv.insert(argv.end(), {"--build-arg", name});
  argv.push_back(context);
  return argv;
}

}  // namespace sanduk
