package main

import (
	"go/ast"
	"go/token"
	"strings"
)

const (
	linesAfter = 3        // the most lines of code that are shown after a comment
	widest     = 140      // the width at which a line of code without a comment is cut
	margin     = "      " // the margin of the second and each later line of a drawn comment
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
		if code := strings.TrimSpace(f.source[begin:from]); code != "" {
			if len(lines) > 0 && lines[0] == "| "+code {
				lines = nil // the comment is on the first line of the declaration
			}
			lines = append(lines, "| "+code+"  // "+words)
		} else {
			lines = append(append(lines, "// "+words), after(f.source[f.offset(c.End()):])...)
		}
		for i, line := range lines {
			if code := []rune(line); strings.HasPrefix(line, "|") && len(code) > widest && !strings.Contains(line, "  // ") {
				lines[i] = string(code[:widest-1]) + "…"
			}
		}
		out = append(out, text{strings.Join(lines, "\n"+margin), f.place(c.Pos())})
	}
	return out
}

// The method "before" returns the first line of the innermost declaration around a comment. If there are at least two lines between that
// line and the comment, it adds a line "…". It returns nothing for a comment outside of all declarations.
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
	if strings.Contains(strings.TrimSpace(rest), "\n") {
		lines = append(lines, "| …")
	}
	return lines
}

// The function "after" returns the first lines of the code after a comment, up to an empty line or the next comment. It leaves out comments
// at the ends of these lines.
func after(source string) (out []string) {
	first := ""
	for line := range strings.SplitSeq(strings.TrimLeft(source, "\n"), "\n") {
		bare := strings.TrimSpace(line)
		if len(out) == linesAfter || bare == "" || strings.HasPrefix(bare, "//") || strings.HasPrefix(bare, "/*") {
			break
		}
		if len(out) == 0 {
			first = line[:len(line)-len(strings.TrimLeft(line, "\t "))]
		}
		if code, _, found := strings.Cut(line, " // "); found {
			line = code // leave out all comments except the drawn one
		}
		out = append(out, "| "+strings.ReplaceAll(strings.TrimRight(strings.TrimPrefix(line, first), " \t"), "\t", "    "))
	}
	return out
}

// oneLine returns a text with single blanks instead of all white space.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
