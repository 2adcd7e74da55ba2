// Package prove kills the program and looks at what is left.
//
// A tracer stops every process of a command at each call that writes, and kills one of them or all.
// A checker then asks plain git, and none of our code, what the repository holds:
// the program must tell the same, nothing acknowledged may be missing, and the command repeated must succeed.
// The package holds tests alone and exports nothing.
//
// A sample runs with the other tests. The whole runs with
//
//	GIT_RESUME_PROVE=1 go test ./internal/prove/ -run 'Kill|Errors' -timeout 90m -v
//
// and every seventh point with GIT_RESUME_PROVE=7.
package prove
