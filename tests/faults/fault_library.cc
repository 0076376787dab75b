// A library for LD_PRELOAD that makes one call of a program fail, or records what the program does to its files. It
// changes nothing in what ships. It begins with main() and ends with it.
//
// P2MPP_FAULT=KIND:N:ERRNO  the N-th call of a kind (open, write, sync, rename, mmap; thread: starts one; alloc: of
// memory, from
//                           the first file that is opened on; start: of memory before), from 1, fails once with that
//                           number. P2MPP_FAULT_TRACE=1 prints its call stack to stderr.
// P2MPP_FAULT_COUNTS=FILE   writes how many calls of each kind there were, as lines "KIND N".
// P2MPP_FAULT_STACKS=FILE   writes a line "KIND N" for the first call of a kind from each place of the program: of the
//                           same call stack, up to 10 functions deep.
// P2MPP_FAULT_RECORD=FILE   records creations, writes, truncations, syncs, renames and removals of files, and new
//                           folders, in their order: lines "OPERATION ARGUMENT...", where a write's bytes follow as
//                           hexadecimal digits. Paths are as the program gave them.
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

enum Kind { kOpen, kWrite, kSync, kRename, kMmap, kAlloc, kStart, kThread, kKinds };
constexpr std::array<const char*, kKinds> kNames = {"open", "write", "sync",  "rename",
                                                    "mmap", "alloc", "start", "thread"};

std::atomic<bool> active = false;
std::array<std::atomic<long>, kKinds> counts{};
int fault_kind = -1, fault_error = 0;
long fault_number = 0;
bool trace = false;
int record_file = -1, stacks_file = -1;
pthread_mutex_t record_mutex = PTHREAD_MUTEX_INITIALIZER;

// The next library's function of the same name.
template <typename Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

ssize_t real_write(int file, const void* bytes, std::size_t count) {
  static const auto function = real<ssize_t (*)(int, const void*, std::size_t)>("write");
  return function(file, bytes, count);
}

void print_stack() {
  active = false;
  std::array<void*, 60> frames{};
  ::backtrace_symbols_fd(frames.data(), ::backtrace(frames.data(), static_cast<int>(frames.size())), STDERR_FILENO);
  active = true;
}

// Whether no call came with this stack before. FNV-1a; a set with open addressing, which allocates nothing.
bool is_new_stack(Kind kind) {
  constexpr std::size_t kSlots = 1 << 16;
  static std::array<std::uint64_t, kSlots> known{};
  std::array<void*, 12> frames{};
  const int depth = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  std::uint64_t hash = 0xcbf29ce484222325U + kind;
  for (int i = 2; i < depth; ++i) {
    hash = (hash ^ reinterpret_cast<std::uintptr_t>(frames[static_cast<std::size_t>(i)])) * 0x100000001b3U;
  }
  std::size_t slot = hash % kSlots;
  while (known[slot] != 0 && known[slot] != hash) slot = (slot + 1) % kSlots;
  const bool is_new = known[slot] == 0;
  known[slot] = hash;
  return is_new;
}

void note_stack(Kind kind, long number) {
  static thread_local bool inside = false;
  if (inside) return;
  inside = true;
  ::pthread_mutex_lock(&record_mutex);
  if (is_new_stack(kind)) {
    std::array<char, 64> line{};
    const int length = std::snprintf(line.data(), line.size(), "%s %ld\n", kNames[kind], number);
    static_cast<void>(real_write(stacks_file, line.data(), static_cast<std::size_t>(length)));
  }
  ::pthread_mutex_unlock(&record_mutex);
  inside = false;
}

// Counts a call; true if it has to fail, and then errno is set.
bool fails(Kind kind) {
  if (!active) return false;
  const long number = counts[kind].fetch_add(1) + 1;
  if (stacks_file >= 0) note_stack(kind, number);
  if (number != fault_number || kind != fault_kind) return false;
  if (trace) print_stack();
  errno = fault_error;
  return true;
}

// Does what `action` does and records it, if it succeeds, so that the record has the true order.
template <typename Action, typename Describe>
auto recorded(const Action& action, const Describe& describe) {
  if (!active || record_file < 0) return action();
  ::pthread_mutex_lock(&record_mutex);
  const auto result = action();
  const int error = errno;
  if (result >= 0) describe(result);
  ::pthread_mutex_unlock(&record_mutex);
  errno = error;
  return result;
}

void put(const char* text) { static_cast<void>(real_write(record_file, text, std::strlen(text))); }

template <typename... Arguments>
void record(const char* format, Arguments... arguments) {
  std::array<char, 8192> line{};
  std::snprintf(line.data(), line.size(), format, arguments...);
  put(line.data());
}

void record_bytes(const void* bytes, std::size_t count) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::array<char, 8192> text{};
  std::size_t filled = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned byte = static_cast<const unsigned char*>(bytes)[i];
    text[filled++] = kDigits[byte >> 4U];
    text[filled++] = kDigits[byte & 15U];
    if (filled == text.size()) {
      static_cast<void>(real_write(record_file, text.data(), filled));
      filled = 0;
    }
  }
  static_cast<void>(real_write(record_file, text.data(), filled));
  put("\n");
}

// The access mode decides, since only what is written matters; a folder is opened to be synced.
int open_file(const char* path, int flags, mode_t mode) {
  if (fails(kOpen)) return -1;
  static const auto function = real<int (*)(const char*, int, ...)>("open");
  return recorded([&] { return function(path, flags, mode); },
                  [&](int file) {
                    if ((flags & O_ACCMODE) != O_RDONLY || (flags & O_DIRECTORY) != 0) {
                      record("open %d %d %s\n", file, flags & (O_CREAT | O_TRUNC | O_APPEND | O_DIRECTORY), path);
                    }
                  });
}

template <typename Function>
int sync_file(const char* name, int file) {
  if (fails(kSync)) return -1;
  static const auto function = real<Function>(name);
  return recorded([&] { return function(file); }, [&](int) { record("%s %d\n", name, file); });
}

void write_counts(const char* path) {
  const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  for (int kind = 0; kind < kKinds; ++kind) {
    std::array<char, 64> line{};
    const int length = std::snprintf(line.data(), line.size(), "%s %ld\n", kNames[static_cast<std::size_t>(kind)],
                                     counts[static_cast<std::size_t>(kind)].load());
    static_cast<void>(real_write(file, line.data(), static_cast<std::size_t>(length)));
  }
  ::close(file);
}

void set_up() {
  if (const char* text = std::getenv("P2MPP_FAULT")) {
    std::array<char, 16> kind{};
    if (std::sscanf(text, "%15[a-z]:%ld:%d", kind.data(), &fault_number, &fault_error) != 3) std::_Exit(99);
    for (int i = 0; i < kKinds; ++i) {
      if (std::strcmp(kind.data(), kNames[static_cast<std::size_t>(i)]) == 0) fault_kind = i;
    }
    if (fault_kind < 0) std::_Exit(99);
  }
  trace = std::getenv("P2MPP_FAULT_TRACE") != nullptr;
  if (const char* path = std::getenv("P2MPP_FAULT_STACKS")) {
    stacks_file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (stacks_file < 0) std::_Exit(99);
    std::array<void*, 4> frames{};
    static_cast<void>(::backtrace(frames.data(), static_cast<int>(frames.size())));  // loads its library
  }
  if (const char* path = std::getenv("P2MPP_FAULT_RECORD")) {
    record_file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (record_file < 0) std::_Exit(99);
  }
}

int (*real_main)(int, char**, char**) = nullptr;

int counted_main(int count, char** arguments, char** environment) {
  set_up();
  active = true;
  const int code = real_main(count, arguments, environment);
  active = false;
  if (const char* path = std::getenv("P2MPP_FAULT_COUNTS")) write_counts(path);
  return code;
}

Kind alloc_kind() { return counts[kOpen] == 0 ? kStart : kAlloc; }

mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

}  // namespace

extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int count, char** arguments, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
  real_main = main;
  const auto function =
      real<int (*)(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*)>(
          "__libc_start_main");
  return function(counted_main, count, arguments, init, fini, rtld_fini, stack_end);
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_file(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_file(path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  if (fails(kOpen)) return -1;
  static const auto function = real<int (*)(int, const char*, int, ...)>("openat");
  return function(folder, path, flags, mode);
}

int __open_2(const char* path, int flags) { return open_file(path, flags, 0); }
int __open64_2(const char* path, int flags) { return open_file(path, flags, 0); }

int close(int file) {
  static const auto function = real<int (*)(int)>("close");
  return recorded([&] { return function(file); }, [&](int) { record("close %d\n", file); });
}

ssize_t write(int file, const void* bytes, std::size_t count) {
  if (fails(kWrite)) return -1;
  return recorded([&] { return real_write(file, bytes, count); },
                  [&](ssize_t written) {
                    record("write %d ", file);
                    record_bytes(bytes, static_cast<std::size_t>(written));
                  });
}

ssize_t writev(int file, const iovec* parts, int count) {
  if (fails(kWrite)) return -1;
  static const auto function = real<ssize_t (*)(int, const iovec*, int)>("writev");
  return function(file, parts, count);
}

int fsync(int file) { return sync_file<int (*)(int)>("fsync", file); }

int fdatasync(int file) {
  if (fails(kSync)) return -1;
  static const auto function = real<int (*)(int)>("fdatasync");
  return recorded([&] { return function(file); }, [&](int) { record("fsync %d\n", file); });
}

int syncfs(int file) {
  if (fails(kSync)) return -1;
  static const auto function = real<int (*)(int)>("syncfs");
  return recorded([&] { return function(file); }, [&](int) { record("syncfs %d\n", file); });
}

int ftruncate(int file, off_t size) {
  if (fails(kWrite)) return -1;
  static const auto function = real<int (*)(int, off_t)>("ftruncate");
  return recorded([&] { return function(file, size); },
                  [&](int) { record("truncate %d %ld\n", file, static_cast<long>(size)); });
}

int rename(const char* from, const char* to) {
  if (fails(kRename)) return -1;
  static const auto function = real<int (*)(const char*, const char*)>("rename");
  return recorded([&] { return function(from, to); }, [&](int) { record("rename %s\t%s\n", from, to); });
}

int unlink(const char* path) {
  static const auto function = real<int (*)(const char*)>("unlink");
  return recorded([&] { return function(path); }, [&](int) { record("unlink %s\n", path); });
}

int mkdir(const char* path, mode_t mode) {
  static const auto function = real<int (*)(const char*, mode_t)>("mkdir");
  return recorded([&] { return function(path, mode); }, [&](int) { record("mkdir %s\n", path); });
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument) {
  if (fails(kThread)) return fault_error;
  static const auto function =
      real<int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  return function(thread, attributes, routine, argument);
}

void* mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) {
  if (fails(kMmap)) return MAP_FAILED;
  static const auto function = real<void* (*)(void*, std::size_t, int, int, int, off_t)>("mmap");
  return function(address, size, protection, flags, file, offset);
}

void* mmap64(void* address, std::size_t size, int protection, int flags, int file, off_t offset) {
  return mmap(address, size, protection, flags, file, offset);
}

void* malloc(std::size_t size) { return fails(alloc_kind()) ? nullptr : __libc_malloc(size); }

void* calloc(std::size_t count, std::size_t size) { return fails(alloc_kind()) ? nullptr : __libc_calloc(count, size); }

void* realloc(void* memory, std::size_t size) { return fails(alloc_kind()) ? nullptr : __libc_realloc(memory, size); }

void* memalign(std::size_t alignment, std::size_t size) {
  return fails(alloc_kind()) ? nullptr : __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  if (fails(alloc_kind())) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

}  // extern "C"
