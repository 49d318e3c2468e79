// Adapter for goleveldb and for Pebble's sstable package.
//
// Usage: adapter goleveldb|pebble OPERATION PATH COMPARATOR
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/cockroachdb/pebble/sstable"
	"github.com/cockroachdb/pebble/vfs"
	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/filter"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/storage"
	"github.com/syndtr/goleveldb/leveldb/table"
)

var out = bufio.NewWriter(os.Stdout)

func show(row map[string]any) {
	line, _ := json.Marshal(row)
	out.Write(append(line, '\n'))
}

func finish(err error) {
	out.Flush()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func keys() (list [][]byte) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		key, _ := hex.DecodeString(lines.Text())
		list = append(list, key)
	}
	return list
}

// Looks up each key on standard input with `get`, which returns the error `absent` for an absent key.
// Returns the last other error.
func answer(get func(key []byte) ([]byte, error), absent error) (last error) {
	for _, key := range keys() {
		row := map[string]any{"key": hex.EncodeToString(key)}
		value, err := get(key)
		switch {
		case err == nil:
			row["value"] = hex.EncodeToString(value)
		case errors.Is(err, absent):
			row["value"] = nil
		default:
			row["error"], last = err.Error(), err
		}
		show(row)
	}
	return last
}

func processorTime() float64 {
	var used syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}

// Prints the processor time of a full read, and that of looking up each key on standard input.
func timed(db *leveldb.DB) error {
	list, start := keys(), processorTime()
	count, size, found := 0, 0, 0
	entries := db.NewIterator(nil, nil)
	for entries.Next() {
		count++
		size += len(entries.Key()) + len(entries.Value())
	}
	done := processorTime()
	for _, key := range list {
		if _, err := db.Get(key, nil); err == nil {
			found++
		}
	}
	show(map[string]any{"entries": count, "bytes": size, "read": done - start, "found": found,
		"gets": processorTime() - done})
	return entries.Error()
}

func goleveldb(operation, path string) error {
	options := &opt.Options{Strict: opt.StrictAll, ErrorIfMissing: true, Filter: filter.NewBloomFilter(10)}
	if strings.HasSuffix(operation, "-database") {
		db, err := leveldb.OpenFile(path, options)
		if err != nil {
			return err
		}
		if operation == "time-database" {
			return timed(db)
		}
		if operation == "get-database" {
			return answer(func(key []byte) ([]byte, error) { return db.Get(key, nil) }, leveldb.ErrNotFound)
		}
		entries := db.NewIterator(nil, nil)
		for entries.Next() {
			show(map[string]any{"key": hex.EncodeToString(entries.Key()), "value": hex.EncodeToString(entries.Value())})
		}
		return entries.Error()
	}
	if operation == "get-table" || operation == "scan-log" {
		os.Exit(3)
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	info, _ := file.Stat()
	reader, err := table.NewReader(file, info.Size(), storage.FileDesc{Type: storage.TypeTable, Num: 1}, nil, nil, options)
	if err != nil {
		return err
	}
	if operation == "get-plain" {
		return answer(func(key []byte) ([]byte, error) {
			found, value, err := reader.Find(key, true, nil)
			if err == nil && !bytes.Equal(found, key) {
				err = table.ErrNotFound
			}
			return value, err
		}, table.ErrNotFound)
	}
	name := map[bool]string{true: "key", false: "internal_key"}[operation == "scan-plain"]
	entries := reader.NewIterator(nil, nil)
	for entries.Next() {
		show(map[string]any{name: hex.EncodeToString(entries.Key()), "value": hex.EncodeToString(entries.Value())})
	}
	return entries.Error()
}

func pebble(operation, path string) error {
	if operation != "scan-table" {
		os.Exit(3)
	}
	file, err := vfs.Default.Open(path)
	if err != nil {
		return err
	}
	readable, err := sstable.NewSimpleReadable(file)
	if err != nil {
		return err
	}
	reader, err := sstable.NewReader(readable, sstable.ReaderOptions{})
	if err != nil {
		return err
	}
	entries, err := reader.NewIter(nil, nil)
	if err != nil {
		return err
	}
	for key, lazy := entries.First(); key != nil; key, lazy = entries.Next() {
		value, _, err := lazy.Value(nil)
		if err != nil {
			return err
		}
		show(map[string]any{"key": hex.EncodeToString(key.UserKey), "sequence": key.SeqNum(), "type": key.Kind(),
			"value": hex.EncodeToString(value)})
	}
	return entries.Error()
}

func main() {
	which, operation, path, comparator := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	if !strings.HasPrefix(comparator, "leveldb.") {
		os.Exit(3)
	}
	finish(map[string]func(string, string) error{"goleveldb": goleveldb, "pebble": pebble}[which](operation, path))
}
