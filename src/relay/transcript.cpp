#include "relay/transcript.h"

#include <openssl/evp.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "base/files.h"
#include "base/text.h"

namespace sanduk {

std::optional<std::string> Transcript::write_body(std::int64_t call_id, std::string_view body) const {
  if (log_.bodies != BodyLog::full) return std::nullopt;
  std::array<char, 40> name{};
  std::snprintf(name.data(), name.size(), "%06lld-request", static_cast<long long>(call_id));
  FileResult<FileDescriptor> file = create_file(std::filesystem::path(log_.directory) / name.data());
  if (!file) return file.error().message;
  if (!write_all(file->get(), body)) return "cannot write " + log_.directory + "/" + name.data();
  return std::nullopt;
}

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  return hex({reinterpret_cast<const char*>(digest.data()), size});
}

}  // namespace sanduk
