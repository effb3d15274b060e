// SPDX-License-Identifier: Apache-2.0
// A disk that fails when a test wants it to: the library stands before the C library, by
// LD_PRELOAD or because a test links to it, and refuses calls that change files below one folder.
//
// The environment does the same for a program that is started: TRANSPLT_FAULTS_UNDER,
// TRANSPLT_FAULTS="kind number errno lasts", TRANSPLT_FAULTS_DISK.
#pragma once

#include <stdint.h>  // NOLINT: for C and ctypes

extern "C" {  // NOLINTBEGIN: names of C
/// Only calls for files below this folder count and fail.
void disk_faults_under(const char* folder);
/// The call number `number` of the kind, counted from 1 from now on, fails with this errno; with
/// `lasts`, all later ones do as well. 0: none. Kinds: open (for writing), write (and pwrite),
/// read (pread, and open for reading), fsync (fdatasync, syncfs), ftruncate (fallocate), mkdir,
/// rename, link, unlink (rmdir), chmod, close, and "any".
void disk_faults_arm(const char* kind, uint64_t number, int error, int lasts);
/// Calls of the kind since then.
uint64_t disk_faults_seen(const char* kind);
/// The folder is a disk of `bytes`, of which files take whole blocks of 4096; 0: no limit.
void disk_faults_disk(uint64_t bytes);
}  // NOLINTEND
