// owner.exe shared|alone FILE...   Opens the files of a database, and shares them with everybody or
// with nobody. Keeps rewriting the first byte of each, unchanged, until there is a file named
// "stop".
#include <stdio.h>
#include <string.h>
#include <windows.h>

int main(int argc, char** argv) {
  static HANDLE files[64];
  const DWORD sharing =
      strcmp(argv[1], "alone") == 0 ? 0 : FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  for (int i = 2; i < argc; ++i) {
    files[i] =
        CreateFileA(argv[i], GENERIC_READ | GENERIC_WRITE, sharing, NULL, OPEN_EXISTING, 0, NULL);
    if (files[i] == INVALID_HANDLE_VALUE) {
      fprintf(stderr, "can't open %s: error %lu\n", argv[i], GetLastError());
      return 1;
    }
  }
  puts("open");
  fflush(stdout);
  while (GetFileAttributesA("stop") == INVALID_FILE_ATTRIBUTES) {
    for (int i = 2; i < argc; ++i) {
      char byte;
      DWORD count;
      SetFilePointer(files[i], 0, NULL, FILE_BEGIN);
      if (!ReadFile(files[i], &byte, 1, &count, NULL) || count == 0) continue;
      SetFilePointer(files[i], 0, NULL, FILE_BEGIN);
      if (!WriteFile(files[i], &byte, 1, &count, NULL)) return 1;
    }
    Sleep(1);
  }
  return 0;
}
