// Command draw picks random comments and messages of this project for a readability test, or sentences of its manual for a test whether
// people find the right file.
//
// It prints the texts with their numbers, then a line of dashes, and then the file and line of each text. Each text is shown as people meet
// it. A comment is shown with the first line of the declaration around it, and with the code right before and after it, but without the
// other comments there. A message is shown whole: all parts of a concatenation, a format together with its arguments, and all texts of a row in a table. In a message, ‹x› is a value that is
// filled in, [x] is a part that may be missing, and [x / y] is one of several texts.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// text is a comment, message or behaviour of the project, and the place where it was found.
type text struct{ words, place string }

// legend explains the signs in the messages.
const legend = "In sentences, ‹x› is a value that is filled in, [x] may be missing, [x / y] is one of them, and | separates what stands in different places. (Word) before a text is its name in the code, which users do not see."

func main() {
	seed := flag.Uint64("seed", 1, "the seed of the drawing")
	comments := flag.Int("comments", 200, "how many comments")
	sentences := flag.Int("sentences", 100, "how many sentences of the program")
	rooms := flag.Int("behaviours", 0, "draw so many behaviours from the manual instead")
	flag.Parse()
	random := rand.New(rand.NewPCG(*seed, 0))
	if *rooms > 0 {
		all, err := behaviours(".")
		if err != nil {
			log.Fatalln("error:", err)
		}
		fmt.Printf("seed %d: %d of %d behaviours\n\n", *seed, *rooms, len(all))
		list(draw(random, all, *rooms))
		return
	}
	said, shown, err := collect(".")
	if err != nil {
		log.Fatalln("error:", err)
	}
	fmt.Printf("seed %d: %d of %d comments, %d of %d sentences\n%s\n\n", *seed, *comments, len(said), *sentences, len(shown), legend)
	list(append(draw(random, said, *comments), draw(random, shown, *sentences)...))
}

// list prints the texts, and then their places.
func list(drawn []text) {
	for i, d := range drawn {
		fmt.Printf("%d. %s\n", i+1, d.words)
	}
	fmt.Println("\n----")
	for i, d := range drawn {
		fmt.Printf("%d. %s\n", i+1, d.place)
	}
}

// draw picks n different texts, or all texts if there are fewer.
func draw(random *rand.Rand, from []text, n int) []text {
	var out []text
	for _, i := range random.Perm(len(from))[:min(n, len(from))] {
		out = append(out, from[i])
	}
	return out
}

// collect returns the comments of the Go files below a folder, and the messages of these files. It skips folders with the name testdata. It
// returns no messages of tests and of tools for developers.
func collect(top string) (comments, sentences []text, err error) {
	err = filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		f, err := parse(path)
		if err != nil {
			return err
		}
		comments = append(comments, commentsOf(f)...)
		if !strings.HasSuffix(path, "_test.go") && !forDevelopers(filepath.ToSlash(path)) {
			sentences = append(sentences, sentencesOf(f)...)
		}
		return nil
	})
	return comments, sentences, err
}

// file is a parsed file of Go code.
type file struct {
	set    *token.FileSet
	tree   *ast.File
	source string
}

// parse reads a file of Go code.
func parse(path string) (*file, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseSource(path, string(data))
}

// parseSource parses Go code that has been read already.
func parseSource(path, source string) (*file, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, path, source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	return &file{set: set, tree: tree, source: source}, nil
}

// place returns the file, line and column of a position.
func (f *file) place(pos token.Pos) string { return f.set.Position(pos).String() }

// offset returns the index in the source at which a position is.
func (f *file) offset(pos token.Pos) int { return f.set.Position(pos).Offset }

// forDevelopers reports whether a file belongs to the tests and tools of this project, whose messages users do not see.
func forDevelopers(path string) bool {
	return slices.ContainsFunc([]string{"internal/prove/", "internal/house/", "internal/gittest/", "internal/sources/sourcetest/", "internal/agentlab/", "internal/release/",
		"worktree/treetest/", "gitstate/repotest/", "bench/"}, func(room string) bool { return strings.Contains(path, room) })
}
