#include "relay/transcript.h"

#include <unistd.h>

#include <array>
#include <cstdio>

#include "base/text.h"
#include "relay/openssl.h"

namespace sanduk {

Transcript::File::File(Transcript& transcript, std::int64_t call_id, const char* what) : transcript_(transcript) {
  std::array<char, 48> name{};
  std::snprintf(name.data(), name.size(), "%06lld-%s", static_cast<long long>(call_id), what);
  path_ = std::filesystem::path(transcript.log_.directory) / name.data();
  FileResult<FileDescriptor> file = create_file(path_);
  if (file) {
    file_ = std::move(*file);
  } else {
    fault_ = file.error().message;
  }
}

Transcript::File::~File() {
  if (file_) transcript_.keep({path_, size_});
}

void Transcript::File::add(std::string_view bytes) {
  if (!fault_.empty()) return;
  // One file alone never takes more than all of them may.
  const std::int64_t most = transcript_.log_.most_bytes;
  if (most > 0) bytes = bytes.substr(0, static_cast<std::size_t>(std::max<std::int64_t>(most - size_, 0)));
  size_ += static_cast<std::int64_t>(bytes.size());
  if (!write_all(file_.get(), bytes)) fault_ = "cannot write " + path_.string();
}

std::optional<std::string> Transcript::write_body(std::int64_t call_id, std::string_view body) {
  if (log_.bodies != BodyLog::full) return std::nullopt;
  File file(*this, call_id, "request");
  file.add(body);
  if (file.fault().empty()) return std::nullopt;
  return file.fault();
}

void Transcript::keep(Kept file) {
  const std::lock_guard lock(mutex_);
  total_ += file.size;
  kept_.push_back(std::move(file));
  while (log_.most_bytes > 0 && total_ > log_.most_bytes && kept_.size() > 1) {
    unlink(kept_.front().path.c_str());
    total_ -= kept_.front().size;
    kept_.pop_front();
  }
}

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  openssl().EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, openssl().EVP_sha256(), nullptr);
  return hex({reinterpret_cast<const char*>(digest.data()), size});
}

}  // namespace sanduk
