// Command draw picks random comments and messages of this project for a readability test, or sentences of its manual for a test whether
// people find the right file.
//
// It prints the texts with their numbers (a comment together with the line of code that it belongs to), then a line of dashes, and then
// the file and line of each text.
package main

import (
	"flag"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// text is a text to draw. place is where it was found.
type text struct{ words, place string }

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
	fmt.Printf("seed %d: %d of %d comments, %d of %d sentences\n\n", *seed, *comments, len(said), *sentences, len(shown))
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

// sentence matches text with at least four words that does not begin or end with a blank or a comma. Such a string is probably a message
// for people, and not an identifier or a part of another message.
var sentence = regexp.MustCompile(`(?s)^\n*[^\s,;:).^].*[A-Za-z]+ [a-z%']+ [a-z%']+ [a-z%']+.*[^\s,;:(]\n*$|^\n*[A-Za-z]+ [a-z%']+ [a-z%']+ [a-z%']+.*[^\s,;:(]\n*$`)

// word matches a word of a message. Placeholders such as %s are not words.
var word = regexp.MustCompile(`^["'(]*[A-Za-z][A-Za-z'-]*[)"'.,:;?!]*$`)

// hasWords reports whether a text has at least four words. A text with fewer, such as "by %s %d on %s", cannot be understood without the
// values that are filled in.
func hasWords(text string) bool {
	n := 0
	for _, w := range strings.Fields(text) {
		if word.MatchString(w) {
			n++
		}
	}
	return n >= 4
}

// collect returns the comments below a folder, and the messages in all files except tests and tools for developers.
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
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		said, err := commentsOf(path, data)
		if err != nil {
			return err
		}
		comments = append(comments, said...)
		if !strings.HasSuffix(path, "_test.go") && !forDevelopers(filepath.ToSlash(path)) {
			sentences = append(sentences, sentencesOf(path, data)...)
		}
		return nil
	})
	return comments, sentences, err
}

func commentsOf(path string, data []byte) ([]text, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, data, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var out []text
	for _, c := range file.Comments {
		words := strings.Join(strings.Fields(c.Text()), " ")
		if strings.Contains(words, " ") {
			out = append(out, text{words + "\n      | " + codeAt(string(data), set.Position(c.Pos()).Offset, set.Position(c.End()).Offset), set.Position(c.Pos()).String()})
		}
	}
	return out, nil
}

// codeAt returns the line of code that a comment belongs to: the code before it on its own line, or the first line after it.
func codeAt(source string, from, to int) string {
	line := source[strings.LastIndexByte(source[:from], '\n')+1 : from]
	if strings.TrimSpace(line) == "" {
		line, _, _ = strings.Cut(strings.TrimLeft(source[to:], " \t\n"), "\n")
	}
	return strings.TrimSpace(line)
}

func sentencesOf(path string, data []byte) []text {
	set := token.NewFileSet()
	file := set.AddFile(path, -1, len(data))
	var s scanner.Scanner
	s.Init(file, data, nil, 0)
	var out []text
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return out
		}
		if words, err := strconv.Unquote(lit); tok == token.STRING && err == nil && sentence.MatchString(words) && hasWords(words) {
			out = append(out, text{strings.Join(strings.Fields(words), " "), set.Position(pos).String()})
		}
	}
}

// forDevelopers reports whether a file belongs to the tests and tools of this project, whose messages users do not see.
func forDevelopers(path string) bool {
	return slices.ContainsFunc([]string{"internal/prove/", "internal/house/", "internal/gittest/", "internal/sources/sourcetest/", "bench/"},
		func(room string) bool { return strings.Contains(path, room) })
}
