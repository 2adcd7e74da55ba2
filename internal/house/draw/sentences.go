package main

import (
	"cmp"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// sentence matches a text with at least four words in a row. The text must not begin or end with a blank or with certain punctuation marks.
// Such a text is probably a message for people, and not an identifier or a part of another message.
var sentence = regexp.MustCompile(`(?s)^\n*[^\s,;:).^].*[A-Za-z]+ [a-z%']+ [a-z%']+ [a-z%']+.*[^\s,;:(]\n*$|^\n*[A-Za-z]+ [a-z%']+ [a-z%']+ [a-z%']+.*[^\s,;:(]\n*$`)

// word matches a word of a message. Values that are filled in are not words.
var word = regexp.MustCompile(`^["'(\[]*[A-Za-z][A-Za-z'-]*[)"'.,:;?!\]]*$`)

// value matches a value that is filled in.
var value = regexp.MustCompile(`‹[^‹›]*›`)

// small matches words such as "the", "of" and "is". A text without any of them is taken for a list of words, not for a sentence.
var small = regexp.MustCompile(`(?i)\b(an?|the|of|to|in|on|at|by|as|and|or|not|no|with|without|for|from|into|is|are|was|were|be|been|has|have|had|do|does|did|can|cannot|` +
	`will|would|may|must|it|its|this|that|these|they|them|their|your?|nothing|everything|all|each|every|only|already|again|now|here|there|if|when|while|until|since|after|` +
	`before|because|although|but|than|which|what|who|how|why|more|too|up|so|another|other|below|first|despite|old|keep)\b`)

// isSentence reports whether a text is a message for people. The text must have at least four words. A shorter text, such as "by ‹a› on
// ‹b›", cannot be understood without the values that are filled in.
func isSentence(text string) bool {
	text = value.ReplaceAllString(text, "%s")
	n := 0
	for _, w := range strings.Fields(text) {
		if word.MatchString(w) {
			n++
		}
	}
	return n >= 4 && sentence.MatchString(text) && small.MatchString(text)
}

// piece is one part of a message, such as a cell of a table. label is its name, or "".
type piece struct{ label, words string }

type message struct {
	pos token.Pos
	text
}

// reader finds the messages in a Go source file, that is, the texts that the program shows to its users.
type reader struct {
	*file
	variables map[any]*variable
	owned     map[ast.Node]bool // the texts that are assigned to variables
	done      map[ast.Node]bool // the expressions that are part of a message that was found
	out       []message
}

// sentencesOf returns the messages in a file. Each text in the code is part of at most one message, except for the texts of a variable that
// is used in several messages.
func sentencesOf(f *file) (out []text) {
	r := &reader{file: f, variables: map[any]*variable{}, owned: map[ast.Node]bool{}, done: map[ast.Node]bool{}}
	r.findVariables()
	ast.Walk(visitor{r, ""}, f.tree)
	r.ownVariables()
	slices.SortStableFunc(r.out, func(a, b message) int { return cmp.Compare(a.pos, b.pos) })
	for _, m := range r.out {
		out = append(out, m.text)
	}
	return out
}

// add adds a message if at least one of its pieces is a sentence for people.
func (r *reader) add(pos token.Pos, where string, pieces []piece) {
	if !slices.ContainsFunc(pieces, func(p piece) bool { return isSentence(p.words) }) {
		return
	}
	var all []string
	for i, p := range pieces {
		words := oneLine(p.words)
		if i+1 < len(pieces) && p.label == "" && pieces[i+1].label == "" && !strings.Contains(words, " ") && strings.HasPrefix(pieces[i+1].words, words+" ") {
			continue // skip the name of a file if the next text begins with that name
		}
		if strings.Contains(words, "[^") || strings.Contains(words, "[0-9A-Za-z") {
			continue // a regular expression, which users do not see
		}
		switch p.label {
		case "":
		case "hint":
			words = "hint: " + words // users see this label
		default:
			words = "(" + p.label + ") " + words
		}
		if words != "" {
			all = append(all, words)
		}
	}
	words := strings.Join(all, " | ")
	if where != "" {
		words += "  (in " + where + ")"
	}
	r.out = append(r.out, message{pos, text{words, r.place(pos)}})
}

// findVariables finds the variables and constants to which texts are assigned.
func (r *reader) findVariables() {
	of := func(name ast.Expr) *variable {
		id, ok := name.(*ast.Ident)
		if !ok || id.Obj == nil || id.Name == "_" {
			return nil
		}
		if r.variables[id.Obj] == nil {
			r.variables[id.Obj] = &variable{name: id}
		}
		return r.variables[id.Obj]
	}
	assign := func(names, values []ast.Expr, how token.Token) {
		for i, name := range names {
			switch v := of(name); {
			case v == nil:
			case len(values) == 0, len(values) == len(names) && isEmpty(values[i]):
				v.optional = true
			case len(values) == len(names) && isText(values[i]):
				r.owned[values[i]] = true
				if how == token.ADD_ASSIGN {
					v.added = append(v.added, values[i])
				} else {
					v.values = append(v.values, values[i])
				}
			case len(values) == len(names):
				v.items = append(v.items, appended(values[i])...)
			}
		}
	}
	ast.Inspect(r.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			assign(n.Lhs, n.Rhs, n.Tok)
		case *ast.ValueSpec:
			names := make([]ast.Expr, len(n.Names))
			for i, name := range n.Names {
				names[i] = name
			}
			assign(names, n.Values, token.ASSIGN)
		}
		return true
	})
	ast.Inspect(r.tree, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && called(c) == "strings.Join" {
			if v := r.variable(c.Args[0]); v != nil && len(v.items) > 0 {
				v.joined = true
				for _, e := range v.items {
					r.owned[e] = true
				}
			}
		}
		return true
	})
	for key, v := range r.variables {
		if len(v.values)+len(v.added) == 0 && !v.joined {
			delete(r.variables, key)
		}
	}
}

// variable returns the variable that an expression names, or nil if no text is assigned to it.
func (r *reader) variable(e ast.Expr) *variable {
	if id, ok := e.(*ast.Ident); ok && id.Obj != nil {
		return r.variables[id.Obj]
	}
	return nil
}

// appended returns the texts that an expression of the form append(list, text) appends.
func appended(e ast.Expr) (out []ast.Expr) {
	if c, ok := e.(*ast.CallExpr); ok && called(c) == "append" && !c.Ellipsis.IsValid() {
		for _, a := range c.Args[1:] {
			if isText(a) {
				out = append(out, a)
			}
		}
	}
	return out
}

// isEmpty reports whether an expression is the text "".
func isEmpty(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && (lit.Value == `""` || lit.Value == "``")
}

// ownVariables adds the variables that occurred in no message as messages of their own.
func (r *reader) ownVariables() {
	all := make([]*variable, 0, len(r.variables))
	for _, v := range r.variables {
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b *variable) int { return cmp.Compare(a.name.Pos(), b.name.Pos()) })
	for _, v := range all {
		if v.shown {
			continue
		}
		r.add(v.name.Pos(), r.around(v.name.Pos()), []piece{{v.name.Name, r.texts(v)}})
	}
}

// The method "around" returns the function around a position, or "".
func (r *reader) around(pos token.Pos) string {
	for _, d := range r.tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Pos() <= pos && pos < f.End() {
			return "func " + nameOf(f)
		}
	}
	return ""
}

// nameOf returns the name of a function, and the type before it for a method.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if generic, ok := t.(*ast.IndexExpr); ok {
		t = generic.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + f.Name.Name
	}
	return f.Name.Name
}
