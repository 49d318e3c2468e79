// Makes a random database with goleveldb, or reads one.
//
// Usage: goleveldb_folder make SEED DIR [closed]
//
//	goleveldb_folder read DIR
//
// make: creates DIR as a copy of a database that is open, or with "closed", of one that was closed
// first. DIR depends only on SEED and on the moments at which goleveldb compacts.
// read: prints the live entries in hex, with a tab between key and value.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/filter"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/util"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type maker struct {
	random    *rand.Rand
	keySpace  int
	snapshots []*leveldb.Snapshot
}

func (m *maker) key() []byte {
	n := m.random.Intn(m.keySpace)
	if n%7 == 0 {
		return []byte{'k', 0, 0xff, byte(n >> 8), byte(n)}
	}
	return []byte(fmt.Sprintf("key%06d", n))
}

func (m *maker) value() []byte {
	sizes := []int{0, 1, 10, 100, 400}
	size := sizes[m.random.Intn(len(sizes))]
	if m.random.Intn(250) == 0 {
		size = 30000 + m.random.Intn(70000) // some are longer than a block of a log
	}
	value := make([]byte, size)
	m.random.Read(value[:size/2])
	return value
}

func (m *maker) write(db *leveldb.DB) {
	for i := m.random.Intn(700); i >= 0; i-- {
		switch step := m.random.Intn(100); {
		case step < 60:
			must(db.Put(m.key(), m.value(), nil))
		case step < 80:
			must(db.Delete(m.key(), nil))
		case step < 90:
			batch := new(leveldb.Batch)
			for j := m.random.Intn(12); j > 0; j-- {
				if m.random.Intn(10) < 7 {
					batch.Put(m.key(), m.value())
				} else {
					batch.Delete(m.key())
				}
			}
			must(db.Write(batch, nil))
		case step < 91:
			snapshot, err := db.GetSnapshot()
			must(err)
			m.snapshots = append(m.snapshots, snapshot)
		}
	}
}

func (m *maker) release() {
	for _, snapshot := range m.snapshots {
		snapshot.Release()
	}
	m.snapshots = nil
}

// Copies the MANIFEST before tables and logs. goleveldb removes one of these only after the edit
// that drops it, so the MANIFEST in the copy names no file that was removed before.
func copyFolder(source, target string) {
	must(os.Mkdir(target, 0o777))
	entries, err := os.ReadDir(source)
	must(err)
	isLate := func(name string) bool {
		return strings.HasSuffix(name, ".ldb") || strings.HasSuffix(name, ".log")
	}
	sort.SliceStable(entries, func(i, j int) bool {
		return !isLate(entries[i].Name()) && isLate(entries[j].Name())
	})
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(source, entry.Name()))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		must(err)
		must(os.WriteFile(filepath.Join(target, entry.Name()), data, 0o666))
	}
}

func makeFolder(seed int64, path string, closed bool) {
	random := rand.New(rand.NewSource(seed))
	m := &maker{random: random, keySpace: []int{20, 300, 3000}[random.Intn(3)]}
	options := &opt.Options{
		WriteBuffer:          64 << 10,
		BlockSize:            []int{256, 1024, 4096}[random.Intn(3)],
		BlockRestartInterval: []int{1, 4, 16}[random.Intn(3)],
		CompactionTableSize:  []int{32 << 10, 1 << 20}[random.Intn(2)],
		CompactionTotalSize:  []int{64 << 10, 10 << 20}[random.Intn(2)],
		Compression:          []opt.Compression{opt.NoCompression, opt.SnappyCompression}[random.Intn(2)],
	}
	if random.Intn(2) == 0 {
		options.Filter = filter.NewBloomFilter(10)
	}
	openPath := path + ".open"
	db, err := leveldb.OpenFile(openPath, options)
	must(err)
	for i := random.Intn(4); i >= 0; i-- {
		m.write(db)
		switch step := random.Intn(10); {
		case step < 3:
			must(db.CompactRange(util.Range{}))
		case step < 5:
			must(db.CompactRange(util.Range{Start: m.key()}))
		case step < 7:
			m.release()
			must(db.Close())
			db, err = leveldb.OpenFile(openPath, options)
			must(err)
		}
	}
	for i := random.Intn(30); i > 0; i-- { // records that stay in the log
		must(db.Put(m.key(), m.value(), nil))
	}
	if !closed {
		copyFolder(openPath, path)
	}
	m.release()
	must(db.Close())
	if closed {
		copyFolder(openPath, path)
	}
	must(os.RemoveAll(openPath))
}

func readFolder(path string) {
	db, err := leveldb.OpenFile(path, &opt.Options{ErrorIfMissing: true, Strict: opt.StrictAll})
	must(err)
	out := bufio.NewWriter(os.Stdout)
	entries := db.NewIterator(nil, nil)
	for entries.Next() {
		fmt.Fprintf(out, "%x\t%x\n", entries.Key(), entries.Value())
	}
	entries.Release()
	must(entries.Error())
	must(out.Flush())
	must(db.Close())
}

func main() {
	if os.Args[1] == "read" {
		readFolder(os.Args[2])
		return
	}
	seed, err := strconv.ParseInt(os.Args[2], 10, 64)
	must(err)
	makeFolder(seed, os.Args[3], len(os.Args) > 4)
}
