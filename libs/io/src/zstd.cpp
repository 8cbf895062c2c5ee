#include "ki/io/zstd.h"

#include "ki/base/check.h"
#include "ki/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <vector>

namespace ki::io {
namespace {
constexpr std::string_view kFrameMagic = "\x28\xB5\x2F\xFD";
}

struct ByteSource::State {
  std::filesystem::path path;
  int fd = -1;
  std::uint64_t size = 0;
  std::uint64_t position = 0;
  ZSTD_DCtx* decoder = nullptr;  // null for a plain file
  std::vector<char> input;
  std::size_t input_begin = 0;
  std::size_t input_end = 0;
  std::vector<char> output;
  bool is_inside_frame = false;
  bool is_at_end = false;

  ~State() {
    if (fd >= 0) ::close(fd);
    ZSTD_freeDCtx(decoder);
  }

  Result<void> fill() {
    for (;;) {
      const ssize_t count = ::read(fd, input.data(), input.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return fail(system_error(errno, "cannot read", path));
      input_begin = 0;
      input_end = static_cast<std::size_t>(count);
      position += input_end;
      is_at_end = count == 0;
      return {};
    }
  }
};

ByteSource::ByteSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
ByteSource::~ByteSource() = default;
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;

Result<ByteSource> ByteSource::open(const std::filesystem::path& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (state->fd < 0) return fail(system_error(errno, "cannot open", path));
  struct stat info{};
  if (::fstat(state->fd, &info) == 0) state->size = static_cast<std::uint64_t>(info.st_size);
  state->input.resize(256 << 10);
  KI_TRY_VOID(state->fill());
  if (std::string_view(state->input.data(), state->input_end).starts_with(kFrameMagic)) {
    state->decoder = ZSTD_createDCtx();
    KI_CHECK(state->decoder != nullptr);
    state->output.resize(ZSTD_DStreamOutSize() * 2);
  }
  return ByteSource(std::move(state));
}

Result<std::string_view> ByteSource::next() {
  State& s = *state_;
  if (s.decoder == nullptr) {
    if (s.input_begin == s.input_end && !s.is_at_end) KI_TRY_VOID(s.fill());
    const std::string_view bytes(s.input.data() + s.input_begin, s.input_end - s.input_begin);
    s.input_begin = s.input_end;
    return bytes;
  }
  for (;;) {
    if (s.input_begin == s.input_end && !s.is_at_end) KI_TRY_VOID(s.fill());
    if (s.is_at_end && s.input_begin == s.input_end && !s.is_inside_frame)
      return std::string_view();
    ZSTD_inBuffer in{s.input.data(), s.input_end, s.input_begin};
    ZSTD_outBuffer out{s.output.data(), s.output.size(), 0};
    const std::size_t left = ZSTD_decompressStream(s.decoder, &out, &in);
    if (ZSTD_isError(left) != 0) {
      return fail(Code::kCorrupt,
                  fmt::format("'{}' is damaged near byte {}: {}", s.path.string(),
                              s.position - s.input_end + in.pos, ZSTD_getErrorName(left)));
    }
    const bool made_progress = in.pos != s.input_begin || out.pos != 0;
    s.input_begin = in.pos;
    s.is_inside_frame = left != 0;
    if (out.pos != 0) return std::string_view(s.output.data(), out.pos);
    if (s.is_at_end && !made_progress) {
      return fail(Code::kCorrupt,
                  fmt::format("'{}' stops in the middle of a Zstandard frame: it was cut short",
                              s.path.string()));
    }
  }
}

std::uint64_t ByteSource::position() const { return state_->position; }
std::uint64_t ByteSource::size() const { return state_->size; }
bool ByteSource::is_compressed() const { return state_->decoder != nullptr; }

struct ZstdWriter::State {
  std::filesystem::path path;
  std::filesystem::path temporary;
  int fd = -1;
  ZSTD_CCtx* encoder = nullptr;
  std::vector<char> output;

  ~State() {
    ZSTD_freeCCtx(encoder);
    if (fd >= 0) {
      ::close(fd);
      ::unlink(temporary.c_str());
    }
  }

  Result<void> compress(std::string_view bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (;;) {
      ZSTD_outBuffer out{output.data(), output.size(), 0};
      const std::size_t left = ZSTD_compressStream2(encoder, &out, &in, directive);
      KI_CHECK(ZSTD_isError(left) == 0);
      std::string_view ready(output.data(), out.pos);
      while (!ready.empty()) {
        const ssize_t count = ::write(fd, ready.data(), ready.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fail(system_error(errno, "cannot write", temporary));
        ready.remove_prefix(static_cast<std::size_t>(count));
      }
      if (directive == ZSTD_e_end ? left == 0 : in.pos == in.size) return {};
    }
  }
};

ZstdWriter::ZstdWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ZstdWriter::~ZstdWriter() = default;
ZstdWriter::ZstdWriter(ZstdWriter&&) noexcept = default;
ZstdWriter& ZstdWriter::operator=(ZstdWriter&&) noexcept = default;

Result<ZstdWriter> ZstdWriter::create(const std::filesystem::path& path, int level) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->temporary = path.string() + fmt::format(".new-{}", ::getpid());
  state->fd = ::open(state->temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (state->fd < 0) return fail(system_error(errno, "cannot create", state->temporary));
  state->encoder = ZSTD_createCCtx();
  KI_CHECK(state->encoder != nullptr);
  ZSTD_CCtx_setParameter(state->encoder, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(state->encoder, ZSTD_c_checksumFlag, 1);
  state->output.resize(ZSTD_CStreamOutSize());
  return ZstdWriter(std::move(state));
}

Result<void> ZstdWriter::write(std::string_view bytes) {
  return state_->compress(bytes, ZSTD_e_continue);
}

Result<void> ZstdWriter::finish() {
  State& s = *state_;
  KI_TRY_VOID(s.compress({}, ZSTD_e_end));
  if (::fsync(s.fd) != 0) return fail(system_error(errno, "cannot sync", s.temporary));
  if (::rename(s.temporary.c_str(), s.path.c_str()) != 0) {
    return fail(system_error(errno, "cannot replace", s.path));
  }
  ::close(s.fd);
  s.fd = -1;
  return {};
}

Result<std::string> zstd_compress(std::string_view bytes, int level) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level);
  KI_CHECK(ZSTD_isError(size) == 0);
  out.resize(size);
  return out;
}

Result<std::string> zstd_decompress(std::string_view frame, std::size_t max_bytes) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > max_bytes) {
    return fail(
        Code::kCorrupt,
        fmt::format("the Zstandard frame does not state a size of at most {} bytes", max_bytes));
  }
  std::string out(size, '\0');
  const std::size_t got = ZSTD_decompress(out.data(), out.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) != 0 || got != size)
    return fail(Code::kCorrupt, "the Zstandard frame is damaged");
  return out;
}

}  // namespace ki::io
