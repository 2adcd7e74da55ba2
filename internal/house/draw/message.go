package main

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// variable is a variable or constant that is assigned texts. A message in which the variable occurs is shown with these texts.
type variable struct {
	name     *ast.Ident
	values   []ast.Expr // the texts that are assigned to the variable
	added    []ast.Expr // the texts that are appended to the variable with +=
	items    []ast.Expr // the texts that are appended to the variable as a list
	joined   bool       // the list is joined to one text
	optional bool       // the variable can be empty
	shown    bool       // the variable occurred in a message
	open     bool       // the texts of the variable are being collected at the moment
}

// mostTexts is the largest number of texts of a variable that is shown inside a message. The texts of a variable that has more are shown as
// messages of their own.
const mostTexts = 5

// fits reports whether the texts of a variable are shown inside a message.
func (v *variable) fits() bool {
	n := len(v.values) + len(v.added) + len(v.items)
	return !v.open && n <= mostTexts && (len(v.items) == 0 || v.joined)
}

// isText reports whether an expression is a text that is written in the code, at least in part.
func isText(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.ParenExpr:
		return isText(e.X)
	case *ast.BinaryExpr:
		return e.Op == token.ADD && (isText(e.X) || isText(e.Y))
	case *ast.CallExpr:
		switch called(e) {
		case "fmt.Sprintf", "fmt.Sprint", "phrase.Single", "phrase.Double", "quote.Command", "quote.Between":
			return true
		case "strings.Join":
			list, ok := e.Args[0].(*ast.CompositeLit)
			return ok && slices.ContainsFunc(list.Elts, isText)
		}
		return isCount(e)
	}
	return false
}

// isCount reports whether a call formats a number of things: the function's name contains "count", and its last two arguments are the words
// for one and for many.
func isCount(c *ast.CallExpr) bool {
	_, one := last(c.Args, 2).(*ast.BasicLit)
	_, many := last(c.Args, 1).(*ast.BasicLit)
	return len(c.Args) == 3 && one && many && strings.Contains(strings.ToLower(called(c)), "count")
}

// last returns the nth expression from the end, or nil.
func last(list []ast.Expr, n int) ast.Expr {
	if len(list) < n {
		return nil
	}
	return list[len(list)-n]
}

// called returns the name of the called function, with its package or variable: "fmt.Sprintf".
func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			return x.Name + "." + f.Sel.Name
		}
		return "." + f.Sel.Name
	}
	return ""
}

// words returns what a user sees of an expression that is part of a message.
func (r *reader) words(e ast.Expr) string {
	r.done[e] = true
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			return literal(e)
		}
		return e.Value
	case *ast.ParenExpr:
		return r.words(e.X)
	case *ast.Ident:
		if v := r.variable(e); v != nil && v.fits() {
			return r.texts(v)
		}
	case *ast.BinaryExpr:
		if isText(e) {
			return r.words(e.X) + r.words(e.Y)
		}
	case *ast.CallExpr:
		return r.callWords(e)
	}
	return "‹" + r.short(e) + "›"
}

// texts returns the texts that a variable can have.
func (r *reader) texts(v *variable) string {
	v.shown, v.open = true, true
	defer func() { v.open = false }()
	var all []string
	for _, e := range v.values {
		if words := r.words(e); !slices.Contains(all, words) {
			all = append(all, words)
		}
	}
	out := strings.Join(all, " / ")
	switch {
	case len(v.items) > 0:
	case len(all) == 0:
		out = "‹" + v.name.Name + "›"
	case len(all) > 1 || v.optional && len(v.added) == 0:
		out = "[" + out + "]"
	}
	for _, e := range append(v.added[:len(v.added):len(v.added)], v.items...) {
		out += "[" + r.words(e) + "]"
	}
	return out
}

// callWords returns what a user sees of the result of a call.
func (r *reader) callWords(c *ast.CallExpr) string {
	name := called(c)
	switch {
	case isCount(c):
		r.words(c.Args[1])
		return r.words(c.Args[0]) + " " + r.words(c.Args[2])
	case name == "strings.Join" && isText(c):
		var all []string
		for _, e := range c.Args[0].(*ast.CompositeLit).Elts {
			all = append(all, r.words(e))
		}
		return strings.Join(all, r.words(c.Args[1]))
	case name == "strings.Join":
		if v := r.variable(c.Args[0]); v != nil && len(v.items) > 0 && v.fits() {
			separator := r.words(c.Args[1])
			return strings.ReplaceAll(r.texts(v), "][", "]["+separator)
		}
		return "‹" + r.short(c.Args[0]) + "›"
	case name == "fmt.Sprint":
		out := ""
		for _, e := range c.Args {
			out += r.words(e)
		}
		return out
	case name == "quote.Between" && len(c.Args) == 2:
		mark := r.words(c.Args[0])
		return mark + r.words(c.Args[1]) + mark
	case isWrapper(name) && len(c.Args) > 0:
		return r.words(c.Args[0])
	case strings.HasSuffix(name, ".Error") && len(c.Args) == 0:
		return r.words(c.Fun.(*ast.SelectorExpr).X)
	}
	if out, ok := r.format(c.Args, c.Ellipsis.IsValid()); ok && len(c.Args) > 0 {
		switch name {
		case "phrase.Single":
			out = "'" + out + "'"
		case "phrase.Double":
			out = `"` + out + `"`
		default:
			if pkg, _, found := strings.Cut(name, "."); !found || pkg != "fmt" && pkg != "phrase" && pkg != "quote" {
				return "‹" + name + ": " + strings.NewReplacer("‹", "", "›", "").Replace(out) + "›" // show the function's name, because it may add words that are not known here
			}
		}
		return out
	}
	for _, a := range c.Args {
		if isText(a) {
			ast.Inspect(a, func(n ast.Node) bool { r.done[n] = true; return true })
		}
	}
	return "‹" + r.short(c) + "›"
}

// isWrapper reports whether a function returns its first argument in another form, such as quoted or shortened.
func isWrapper(name string) bool {
	pkg, f, _ := strings.Cut(name, ".")
	return name == "string" || pkg == "quote" && f != "Command" || pkg == "textdoc" && f != "Words" || name == "phrase.Shorten" || name == "phrase.Cut" || name == "phrase.Unbroken" || name == "statefile.Short"
}

// verb matches a placeholder of a format.
var verb = regexp.MustCompile(`%[-+# 0]*(?:\*|[0-9]*)(?:\.[0-9]*)?[a-zA-Z%]`)

// format returns a format with its arguments filled in. It returns false if the first expression is not a text, or is not a format for
// these arguments.
func (r *reader) format(args []ast.Expr, spread bool) (string, bool) {
	if len(args) == 0 || !isText(args[0]) {
		return "", false
	}
	form := r.words(args[0])
	wanted := 0
	for _, v := range verb.FindAllString(form, -1) {
		if !strings.HasSuffix(v, "%") {
			wanted += 1 + strings.Count(v, "*")
		}
	}
	if args = args[1:]; wanted != len(args) && !spread || wanted == 0 && len(args) > 0 {
		return form, len(args) == 0
	}
	next := func() string {
		if len(args) == 0 {
			return "‹…›"
		}
		out := r.words(args[0])
		if len(args) > 1 || !spread {
			args = args[1:]
		}
		return out
	}
	return verb.ReplaceAllStringFunc(form, func(v string) string {
		if strings.Contains(v, "*") {
			next()
		}
		switch v[len(v)-1] {
		case '%':
			return "%"
		case 'q':
			return `"` + next() + `"`
		}
		return next()
	}), true
}

// literal returns the text of a string literal. In a manual page, it removes the macros at the beginning of lines.
func literal(e *ast.BasicLit) string {
	words, err := strconv.Unquote(e.Value)
	if err != nil {
		return e.Value
	}
	if !strings.Contains(words, "\n") {
		return words
	}
	lines := strings.Split(words, "\n")
	for i, line := range lines {
		if begin, _, _ := strings.Cut(line, " "); len(begin) == 3 && begin[0] == '.' {
			lines[i] = plain(line)
		}
	}
	return strings.Join(lines, "\n")
}

// longest is the number of characters after which the Go source of a filled-in value is cut, for example in ‹quote.Name(path)›.
const longest = 48

// short returns the Go source of an expression, cut if it is longer than the constant "longest".
func (r *reader) short(e ast.Node) string {
	out := []rune(oneLine(r.source[r.offset(e.Pos()):r.offset(e.End())]))
	if len(out) > longest {
		out = append(out[:longest-1], '…')
	}
	return string(out)
}
