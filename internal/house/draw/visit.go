package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// visitor walks through a file and adds its messages. The field "where" names the function, and the case of a switch, in
// which the visitor is.
type visitor struct {
	r     *reader
	where string
}

// Visit adds a node that is a message, and decides how to continue inside the node.
func (v visitor) Visit(n ast.Node) ast.Visitor {
	r := v.r
	switch n := n.(type) {
	case *ast.ImportSpec:
		return nil
	case *ast.Field:
		ast.Walk(v, n.Type) // skip the tag of the field
		return nil
	case *ast.FuncDecl:
		v.where = "func " + nameOf(n)
	case *ast.ValueSpec:
		if v.where == "" {
			v.where = "var " + n.Names[0].Name
		}
	case *ast.CaseClause:
		if len(n.List) > 0 {
			function, _, _ := strings.Cut(v.where, ", case ")
			v.where = function + ", case " + r.short(n.List[0])
		}
		for _, s := range n.Body {
			ast.Walk(v, s)
		}
		return nil
	case *ast.AssignStmt:
		v.assignment(n)
	case *ast.ReturnStmt:
		if pieces := r.pieces(n.Results); len(pieces) > 0 {
			r.add(n.Pos(), v.where, pieces)
		}
	case ast.Expr:
		if r.owned[n] {
			return v.inside(n)
		}
		if !r.done[n] {
			v.expression(n)
		}
		if b, ok := n.(*ast.BinaryExpr); ok && b.Op != token.ADD {
			skipLiterals(r, b.X, b.Y) // a text that is only compared is not part of a message
		}
	}
	return v
}

// The method "inside" visits only the function literals in an expression that is assigned to a variable. The other texts in the expression
// were already added to the variable.
func (v visitor) inside(n ast.Node) ast.Visitor {
	ast.Inspect(n, func(m ast.Node) bool {
		if f, ok := m.(*ast.FuncLit); ok {
			ast.Walk(v, f)
			return false
		}
		return true
	})
	return nil
}

// skipLiterals marks literals that are not part of a message.
func skipLiterals(r *reader, all ...ast.Expr) {
	for _, e := range all {
		if lit, ok := e.(*ast.BasicLit); ok {
			r.done[lit] = true
		}
	}
}

// assignment adds each text that is assigned to a field or an element, with the name of that field or element.
func (v visitor) assignment(n *ast.AssignStmt) {
	if len(n.Lhs) != len(n.Rhs) {
		return
	}
	for i, e := range n.Rhs {
		if v.r.owned[e] || !isText(e) {
			continue
		}
		words := v.r.words(e)
		if n.Tok == token.ADD_ASSIGN {
			words = "‹" + v.r.short(n.Lhs[i]) + "›" + words
		}
		v.r.add(e.Pos(), v.where, []piece{{v.r.short(n.Lhs[i]), words}})
	}
}

// expression adds an expression to the messages that were found, if it is a text for users. The caller has checked that the expression is
// not part of a larger message.
func (v visitor) expression(e ast.Expr) {
	r := v.r
	switch e := e.(type) {
	case *ast.BasicLit, *ast.BinaryExpr:
		if isText(e) {
			r.add(e.Pos(), v.where, []piece{{"", r.words(e)}})
		}
	case *ast.CallExpr:
		v.call(e)
	case *ast.CompositeLit:
		if isTable(e) {
			v.table(e)
		} else if pieces := r.row(e); len(pieces) > 0 {
			r.add(e.Pos(), v.where, pieces)
		}
	}
}

// notShown lists packages whose functions get texts that they search or compile, and do not show.
var notShown = []string{"strings", "regexp", "bytes", "slices", "path", "filepath", "exec", "time", "os"}

// inParts lists functions of which each argument is a separate message.
var inParts = []string{"append", "len", "cmp.Or"}

// call adds the texts that are given to a function, as one message.
func (v visitor) call(c *ast.CallExpr) {
	name := called(c)
	pkg, _, _ := strings.Cut(name, ".")
	switch {
	case slices.Contains(inParts, name):
		return
	case slices.Contains(notShown, pkg) && !isText(c):
		skipLiterals(v.r, c.Args...)
		return
	case isText(c):
		v.r.add(c.Pos(), v.where, []piece{{"", v.r.words(c)}})
		return
	}
	v.r.add(c.Pos(), v.where, v.r.arguments(c))
}

// arguments returns the texts that a call passes to a function. For a method called About, the argument before the text is the name of a
// file, and arguments returns the name and the text as one piece.
func (r *reader) arguments(c *ast.CallExpr) (out []piece) {
	name := called(c)
	for i, a := range c.Args {
		if isText(a) {
			if words, ok := r.format(c.Args[i:], c.Ellipsis.IsValid()); ok && i < len(c.Args)-1 {
				if strings.HasSuffix(name, ".About") && i > 0 {
					words = r.words(c.Args[i-1]) + " " + words
				}
				return append(out, piece{"", words})
			}
			if strings.HasSuffix(name, ".About") && i > 0 {
				return append(out, piece{"", r.words(c.Args[i-1]) + " " + r.words(a)})
			}
		}
		out = append(out, r.pieces([]ast.Expr{a})...)
	}
	return out
}

// pieces returns the texts in a list of expressions, such as the results of a function.
func (r *reader) pieces(list []ast.Expr) (out []piece) {
	for _, e := range list {
		out = append(out, r.cell("", e)...)
	}
	return out
}

// cell returns the texts of one element of a row, each with a label.
func (r *reader) cell(label string, e ast.Expr) []piece {
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		e = u.X
	}
	switch c := e.(type) {
	case *ast.Ident:
		if v := r.variable(c); v == nil || !v.fits() || len(v.items) > 0 {
			return nil
		}
	case *ast.CompositeLit:
		if isTable(c) {
			return nil
		}
		r.done[c] = true
		pieces := r.row(c)
		if len(pieces) > 0 && pieces[0].label == "" {
			pieces[0].label = label
		}
		return pieces
	case *ast.CallExpr:
		name := called(c)
		pkg, _, _ := strings.Cut(name, ".")
		if isText(c) {
			break
		}
		if slices.Contains(inParts, name) || slices.Contains(notShown, pkg) {
			return nil
		}
		pieces := r.arguments(c)
		if len(pieces) > 0 {
			r.done[c] = true
			if pieces[0].label == "" {
				pieces[0].label = label
			}
		}
		return pieces
	default:
		if !isText(e) {
			return nil
		}
	}
	return []piece{{label, r.words(e)}}
}

// mostCells is how many texts a row of a table has at most. A list with more texts is not a row: each text is a message of its own.
const mostCells = 12

// isTable reports whether a literal is a list of messages or of rows, and not one row.
func isTable(c *ast.CompositeLit) bool {
	switch t := c.Type.(type) {
	case *ast.MapType:
		return true
	case *ast.ArrayType:
		if of, ok := t.Elt.(*ast.Ident); !ok || of.Name != "string" && of.Name != "any" {
			return true
		}
	}
	_, list := c.Type.(*ast.ArrayType)
	texts, rows := 0, 0
	for _, e := range c.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if _, field := kv.Key.(*ast.Ident); list || !field {
				return true
			}
			e = kv.Value
		} else if _, ok := e.(*ast.CompositeLit); ok {
			rows++
		}
		if isText(e) {
			texts++
		}
	}
	return texts > mostCells || rows > 0 && rows == len(c.Elts)
}

// row returns the texts of a row, with the names of its fields.
func (r *reader) row(c *ast.CompositeLit) (out []piece) {
	for _, e := range c.Elts {
		label := ""
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			label, e = r.short(kv.Key), kv.Value
		}
		out = append(out, r.cell(label, e)...)
	}
	return out
}

// table adds the elements of a map, or of an array with keys, each with its key.
func (v visitor) table(c *ast.CompositeLit) {
	for _, e := range c.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			v.r.done[kv.Key] = true
			label := v.r.short(kv.Key)
			if lit, ok := kv.Key.(*ast.BasicLit); ok {
				label = strings.Trim(lit.Value, "\"`")
			}
			if pieces := v.r.cell(label, kv.Value); len(pieces) > 0 {
				v.r.add(kv.Pos(), v.where, pieces)
			}
		}
	}
}
