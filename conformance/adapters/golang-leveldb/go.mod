module adapter

go 1.24

require (
	github.com/golang/leveldb v0.0.0
	github.com/golang/snappy v0.0.4
)

replace github.com/golang/leveldb => ./leveldb
