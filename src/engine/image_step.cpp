#include <algorithm>
#include <array>
#include <csignal>

#include "base/embedded.h"
#include "base/text.h"
#include "engine/codes.h"
#include "engine/image_pins.h"
#include "engine/pump.h"
#include "engine/run.h"
#include "engine/run_directory.h"
#include "engine/step.h"

namespace sanduk {
namespace {

constexpr std::string_view builtin = "builtin:";
constexpr std::size_t most_log = std::size_t{16} << 20;

// What a build takes from our environment, by name, so that no password of a proxy is seen in a list of processes.
constexpr std::array<const char*, 7> from_environment = {
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "NPM_CONFIG_REGISTRY"};

class ImageStep : public Step {
 public:
  explicit ImageStep(Run& run) : run_(run) {}

  std::string name() const override { return "image"; }
  std::string detail() const override { return image().ref; }

  void perform() override {
    // Before anything is built: what is built anew is another image, whatever it is built from.
    if (!image().pins.empty()) check_drift();
    if (!run_.image.exists || image().rebuild) {
      const std::string& base = image().recipe.empty() ? image().ref : image().base_ref;
      if (image().recipe.empty() || image().rebuild || !inspect_image(run_.world, run_.names.engine, base).exists) {
        if (image().containerfile.empty()) throw missing(base);
        build(base, command_to_build());
      }
      if (!image().recipe.empty()) build(image().ref, recipe_command());
      run_.image = inspect_image(run_.world, run_.names.engine, image().ref);
      if (!run_.image.exists) throw failed("the build left no image of that name", "");
    }
    check_drift();
    check_user();
    // The image that was looked at is the one that runs, whatever its name comes to mean meanwhile.
    const bool by_name = run_.image.id.empty() || run_.names.engine.dialect == "apple";
    run_.names.image = by_name ? image().ref : run_.image.id;
  }

 private:
  const PlannedImage& image() const { return run_.plan.image; }

  RunError missing(const std::string& ref) const {
    Diagnostic diagnostic =
        error(std::string(codes::image_missing), run_.names.engine.name + " has no image `" + ref + "`");
    diagnostic.with_help("build or pull it (`" + run_.names.engine.name + " pull " + shell_quoted(ref) +
                         "`), or give image.containerfile");
    return {Failure::host, diagnostic};
  }

  RunError failed(const std::string& why, const std::string& output) const {
    Diagnostic diagnostic =
        error(std::string(codes::image_build_failed), "the image `" + image().ref + "` could not be built: " + why);
    if (!output.empty()) diagnostic.note(last_words(output));
    diagnostic.with_help("the whole output is in " + (run_.record.directory() / "build.log").string());
    return {Failure::host, diagnostic};
  }

  std::vector<std::string> command_to_build() const {
    std::filesystem::path file = image().containerfile;
    std::filesystem::path context = file.parent_path();
    if (image().containerfile.starts_with(builtin)) {
      const std::string source = "resources/images/Containerfile." + image().containerfile.substr(builtin.size());
      const std::optional<std::string_view> text = embedded_file(source);
      if (!text) throw failed("there is no built-in " + source, "");
      // Outside the context, so that the context is empty: nothing of the host can get into the image.
      const std::filesystem::path build = make_below(run_.directory, "build", 0700);
      context = make_below(build, "context", 0700);
      file = build / "Containerfile";
      write_below(build, "Containerfile", *text, 0600);
    }
    PlannedImage base = image();
    if (!image().recipe.empty()) base.ref = image().base_ref;
    return sanduk::build_command(base, run_.names.engine, file.string(), context.string(), inherited());
  }

  // What a profile adds, on top of the image that is there by now.
  std::vector<std::string> recipe_command() const {
    const std::filesystem::path build = make_below(run_.directory, "recipe", 0700);
    const std::filesystem::path context = make_below(build, "context", 0700);
    write_below(build, "Containerfile", image().recipe, 0600);
    PlannedImage added = image();
    added.build_arguments.clear();
    return sanduk::build_command(added, run_.names.engine, (build / "Containerfile").string(), context.string(),
                                 inherited());
  }

  std::vector<std::string> inherited() const {
    std::vector<std::string> names;
    for (const char* name : from_environment) {
      if (run_.world.variable(name)) names.emplace_back(name);
    }
    return names;
  }

  void build(const std::string& ref, const std::vector<std::string>& command) {
    run_.note("building the image " + ref + "; this happens once");
    std::string log;
    const auto keep = [&](std::string_view bytes) {
      log.append(bytes.substr(0, most_log - std::min(most_log, log.size())));
    };
    Child child = run_.start_client({.argv = command, .variables = {}, .input = {}});
    Pump pump(child, {.output = keep, .errors = keep, .tick = [&] { run_.tell(Tick{}); }});
    const Pump::End end = pump.run(Pump::Time::max(), run_.world.stop_fd, -1);
    if (end == Pump::End::stop) {
      child.signal_group(SIGTERM);
      if (!child.wait_for(std::chrono::seconds(5))) child.signal_group(SIGKILL);
    }
    write_file_atomically(run_.record.directory() / "build.log", log);
    run_.check_interrupted();
    const int code = child.wait_for(std::chrono::seconds(5)).value_or(-1);
    if (code != 0)
      throw failed("`" + run_.names.engine.name + " build` ended with exit code " + std::to_string(code), log);
  }

  void check_drift() const {
    const std::optional<Diagnostic> drift = image_drift(image(), run_.names.engine.name, run_.image.id);
    if (drift) throw RunError(Failure::host, *drift);
  }

  void check_user() const {
    const std::string& label = run_.image.agent_uid;
    const std::string uid = std::to_string(run_.plan.user.uid);
    if (label.empty() || label == uid) return;
    Diagnostic diagnostic =
        error(std::string(codes::image_uid), "the image `" + image().ref + "` was built for user " + label +
                                                 "; as user " + uid + " the agent could not write its own files");
    const std::string remove = run_.names.engine.name + " image rm " + shell_quoted(image().ref);
    diagnostic.with_help(image().containerfile.empty()
                             ? "build it again with `--build-arg AGENT_UID=" + uid + "`"
                             : "run `" + remove + "`; the next run builds it for user " + uid);
    throw RunError(Failure::host, diagnostic);
  }

  Run& run_;
};

}  // namespace

std::unique_ptr<Step> make_image_step(Run& run) { return std::make_unique<ImageStep>(run); }

}  // namespace sanduk
