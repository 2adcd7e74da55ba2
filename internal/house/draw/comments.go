package main

import (
	"go/ast"
	"go/token"
	"strings"
)

const (
	linesBefore = 4        // the most lines of a declaration that are shown before a comment, besides its first line
	linesAfter  = 3        // the most lines of code that are shown after a comment
	widest      = 140      // the width at which a line of code without a comment is cut
	margin      = "      " // the margin of the second and each later line of a drawn comment
)

// commentsOf returns the comments of a file that have more than one word, each with the code around it.
func commentsOf(f *file) (out []text) {
	for _, c := range f.tree.Comments {
		words := oneLine(c.Text())
		if !strings.Contains(words, " ") {
			continue
		}
		lines := f.before(c)
		from := f.offset(c.Pos())
		begin := strings.LastIndexByte(f.source[:from], '\n') + 1
		indent := strings.Repeat("    ", len(f.source[begin:from])-len(strings.TrimLeft(f.source[begin:from], "\t")))
		if code := strings.TrimSpace(f.source[begin:from]); code != "" {
			if len(lines) > 0 && lines[0] == "| "+code {
				lines = nil // the comment is on the first line of the declaration
			}
			lines = append(append(lines, "| "+indent+code+"  // "+words), after(f.source[f.offset(c.End()):])...)
		} else {
			if indent != "" {
				words = "| " + indent + "// " + words
			} else {
				words = "// " + words
			}
			lines = append(append(lines, words), after(f.source[f.offset(c.End()):])...)
		}
		for i, line := range lines {
			if code := []rune(line); strings.HasPrefix(line, "|") && len(code) > widest && !strings.Contains(line, " // ") {
				lines[i] = string(code[:widest-1]) + "…"
			}
		}
		out = append(out, text{strings.Join(lines, "\n"+margin), f.place(c.Pos())})
	}
	return out
}

// The method "before" returns the first line of the innermost declaration around a comment, and the last lines before the comment. The line
// "…" stands for lines that it leaves out between them. It returns nothing for a comment outside of all declarations.
func (f *file) before(c *ast.CommentGroup) []string {
	inner, keyword, group := token.NoPos, "", ""
	ast.Inspect(f.tree, func(n ast.Node) bool {
		if n == nil || c.Pos() <= n.Pos() || n.End() <= c.Pos() {
			return n != nil && n.Pos() <= c.Pos() && c.Pos() < n.End()
		}
		switch d := n.(type) {
		case *ast.FuncDecl:
			inner, keyword = d.Type.Pos(), ""
		case *ast.GenDecl:
			inner, keyword, group = d.Pos(), "", d.Tok.String()+" "
		case *ast.TypeSpec, *ast.ValueSpec:
			inner, keyword = d.Pos(), group
		}
		return true
	})
	if !inner.IsValid() {
		return nil
	}
	from := f.offset(inner)
	header, rest, _ := strings.Cut(f.source[from:f.offset(c.Pos())], "\n")
	if begin := strings.LastIndexByte(f.source[:from], '\n') + 1; strings.TrimSpace(f.source[begin:from]) != "" {
		keyword = "" // the keyword is on the same line already
		header = strings.TrimSpace(f.source[begin:from]) + " " + header
	}
	header, _, _ = strings.Cut(header, " // ")
	lines := []string{"| " + keyword + strings.TrimSpace(header)}
	code := codeIn(rest)
	if len(code) > linesBefore {
		code = append([]string{"| …"}, code[len(code)-linesBefore:]...)
	}
	return append(lines, code...)
}

// codeIn returns the complete lines of code in a text, without comments and empty lines.
func codeIn(text string) (out []string) {
	lines := strings.Split(text, "\n")
	for _, line := range lines[:len(lines)-1] {
		if bare := strings.TrimSpace(line); bare != "" && !strings.HasPrefix(bare, "//") && !strings.HasPrefix(bare, "/*") {
			out = append(out, codeOf(line))
		}
	}
	return out
}

// The function "after" returns the first lines of the code after a comment, up to an empty line or the next comment. It leaves out comments
// at the ends of these lines.
func after(source string) (out []string) {
	for line := range strings.SplitSeq(strings.TrimLeft(source, "\n"), "\n") {
		bare := strings.TrimSpace(line)
		if len(out) == linesAfter || bare == "" || strings.HasPrefix(bare, "//") || strings.HasPrefix(bare, "/*") {
			break
		}
		out = append(out, codeOf(line))
	}
	return out
}

// codeOf returns a line of code as it is shown: without the comment at its end, and with spaces instead of tabs.
func codeOf(line string) string {
	code, _, _ := strings.Cut(line, " // ")
	return "| " + strings.ReplaceAll(strings.TrimRight(code, " \t"), "\t", "    ")
}

// oneLine returns a text with single blanks instead of all white space.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
