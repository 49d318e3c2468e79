// Adapter for golang/leveldb. Usage: adapter OPERATION PATH COMPARATOR
package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/golang/leveldb"
	"github.com/golang/leveldb/bloom"
	"github.com/golang/leveldb/db"
	"github.com/golang/leveldb/table"
)

type reader interface {
	Get(key []byte, o *db.ReadOptions) ([]byte, error)
}

func answer(from reader) (last error) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		key, _ := hex.DecodeString(lines.Text())
		value, err := from.Get(key, nil)
		switch {
		case err == nil:
			fmt.Printf("{\"key\":\"%x\",\"value\":\"%x\"}\n", key, value)
		case errors.Is(err, db.ErrNotFound):
			fmt.Printf("{\"key\":\"%x\",\"value\":null}\n", key)
		default:
			fmt.Printf("{\"key\":\"%x\",\"error\":%q}\n", key, "damage")
			last = err
		}
	}
	return last
}

func run(operation, path string) error {
	options := &db.Options{VerifyChecksums: true, FilterPolicy: bloom.FilterPolicy(10)}
	if operation == "get-database" {
		opened, err := leveldb.Open(path, options)
		if err != nil {
			return err
		}
		return answer(opened)
	}
	name, ok := map[string]string{"scan-table": "internal_key", "scan-plain": "key", "get-plain": ""}[operation]
	if !ok {
		os.Exit(3)
	}
	file, err := db.DefaultFileSystem.Open(path)
	if err != nil {
		return err
	}
	if operation == "scan-table" {
		options.FilterPolicy = nil // the filter has user keys, but keys are passed as internal keys
	}
	opened := table.NewReader(file, options)
	if operation == "get-plain" {
		return answer(opened)
	}
	entries := opened.Find(nil, nil)
	for entries.Next() {
		fmt.Printf("{\"%s\":\"%x\",\"value\":\"%x\"}\n", name, entries.Key(), entries.Value())
	}
	return entries.Close()
}

func main() {
	if !strings.HasPrefix(os.Args[3], "leveldb.") {
		os.Exit(3)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
