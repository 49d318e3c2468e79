module adapter

go 1.24

require (
	github.com/cockroachdb/pebble v1.1.5
	github.com/syndtr/goleveldb v1.0.1-0.20220721030215-126854af5e6d
)
