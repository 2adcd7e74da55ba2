// Package bench measures what the acts of the program cost. Each act is compared with its floor, the fewest processes that can know or do
// the same, and floors.tsv has what it cost when the floor was fixed. 'make bench' runs its tests with -measure and prints the tables.
// 'go test' alone measures no time.
package bench
