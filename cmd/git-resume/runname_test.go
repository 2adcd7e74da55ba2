package main

import (
	"strings"
	"testing"
)

func TestRunName_saysWhatRuns(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"make|test":                             "make",
		"./scripts/build.sh|-x":                 "build.sh",
		"sh|-c|make test && make install":       "make",
		"/bin/bash|-lc|npm ci":                  "npm",
		"bash|-e|-c|  ./deploy.sh prod":         "deploy.sh",
		"sh|-c|CI=1 X='a b' go test ./...":      "go",
		"sh|-c|cd sub && cargo build":           "cargo",
		"sh|-c|cd sub; exec /usr/bin/python3 x": "python3",
		"sh|-c|set -e; make":                    "make",
		"sh|-c|(make)":                          "make",
		"env|A=1|make|x":                        "make",
		"env|-i|make":                           "env", // options of env are not supported
		"nice|make":                             "make",
		"sh|build.sh":                           "build.sh",
		"sh|-x|scripts/build.sh|-c":             "build.sh",
		"bash":                                  "bash",
		"sh|-c|":                                "sh",
		"sh|-c|\"$X\"":                          "sh",
		"sh|-c|for i in 1 2; do echo; done":     "sh", // loops are not supported
		"sh|-c|echo hi":                         "sh", // echo does not count as the program that does the work
		"sh|-c|mkdir -p out && echo go && make": "make",
		"sh|-c|exit 3":                          "sh",
		"python3|-c|import os":                  "python3",
	} {
		if got := runName(strings.Split(line, "|")); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
