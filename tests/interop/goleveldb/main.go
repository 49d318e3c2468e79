// Reads a table of plain keys with goleveldb, by iterating and by lookups through its filter.
// Prints the entries in hex, with a tab between key and value.
//
// Usage: goleveldb TABLE
// Exits with 1 and a message if a lookup misses an entry that the iterator shows, or finds an
// absent key.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"

	"github.com/syndtr/goleveldb/leveldb/filter"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/storage"
	"github.com/syndtr/goleveldb/leveldb/table"
)

// goleveldb's filter under the name of LevelDB's, so that goleveldb uses LevelDB's filters.
type renamed struct{ filter.Filter }

func (renamed) Name() string { return "leveldb.BuiltinBloomFilter2" }

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		fail(err)
	}
	info, err := file.Stat()
	if err != nil {
		fail(err)
	}
	bloom := filter.NewBloomFilter(10)
	options := &opt.Options{
		Filter:     bloom,
		AltFilters: []filter.Filter{renamed{bloom}},
		Strict:     opt.StrictAll,
	}
	reader, err := table.NewReader(file, info.Size(),
		storage.FileDesc{Type: storage.TypeTable, Num: 1}, nil, nil, options)
	if err != nil {
		fail(err)
	}
	defer reader.Release()

	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	entries := reader.NewIterator(nil, nil)
	defer entries.Release()
	absent, passed := 0, 0
	for entries.Next() {
		key, value := entries.Key(), entries.Value()
		fmt.Fprintf(out, "%x\t%x\n", key, value)
		foundKey, foundValue, err := reader.Find(key, true, nil)
		if err != nil || !bytes.Equal(foundKey, key) || !bytes.Equal(foundValue, value) {
			fail(fmt.Errorf("%q: found %q, %v", key, foundKey, err))
		}
		neighbour := append(append([]byte{}, key...), 0)
		absent++
		if foundKey, _, err = reader.Find(neighbour, true, nil); err == nil {
			passed++
			if bytes.Equal(foundKey, neighbour) {
				fail(fmt.Errorf("%q is there", neighbour))
			}
		} else if err != table.ErrNotFound {
			fail(err)
		}
	}
	if err := entries.Error(); err != nil {
		fail(err)
	}
	fmt.Fprintf(os.Stderr, "%d of %d absent keys passed\n", passed, absent)
}
