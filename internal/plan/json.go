package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// jsonTree parses one JSON document and records the line of every value.
func jsonTree(data []byte, faults *collector) (node, bool) {
	// Check the syntax first, so that the code below can rely on valid JSON.
	var raw json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		jsonFault(data, err, faults)
		return node{}, false
	}
	w := jsonWalk{data: data, tokens: json.NewDecoder(bytes.NewReader(data)), line: 1, faults: faults}
	w.tokens.UseNumber()
	root := w.value(0)
	return root, len(faults.kept) == 0
}

func jsonFault(data []byte, err error, faults *collector) {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		faults.add(0, "the plan is not valid JSON: "+err.Error(), "fix the JSON")
		return
	}
	line := lineOf(data, int(syntax.Offset)-1)
	switch what := syntax.Error(); {
	case strings.Contains(what, "exceeded max depth"):
		faults.add(line, "the plan is nested too deeply", cureNesting)
	case strings.HasSuffix(what, "after top-level value"):
		faults.add(line, "there is more text after the end of the plan", "keep one JSON object per file")
	default:
		faults.add(line, "the plan is not valid JSON: "+what, "fix the JSON; it has no comments, no single quotes and no comma before a closing bracket")
	}
}

// jsonWalk turns JSON tokens into a tree of nodes and counts the lines.
type jsonWalk struct {
	data   []byte
	tokens *json.Decoder
	offset int // the field line counts all line ends before this offset
	line   int
	faults *collector
	full   bool // stop, because the document is nested too deeply
}

// next returns the next token and its line number. A JSON token never contains a line end, so it begins and ends on the same line.
func (w *jsonWalk) next() (json.Token, int) {
	token, err := w.tokens.Token()
	if err != nil {
		w.full = true
		return nil, w.line
	}
	end := int(w.tokens.InputOffset())
	w.line += bytes.Count(w.data[w.offset:end], []byte("\n"))
	w.offset = end
	return token, w.line
}

func (w *jsonWalk) value(depth int) node {
	token, line := w.next()
	out := node{line: line}
	switch t := token.(type) {
	case string:
		out.kind, out.text = textKind, t
	case json.Number:
		out.kind, out.text = numberKind, t.String()
	case bool:
		out.kind, out.text = truthKind, map[bool]string{true: "true", false: "false"}[t]
	case json.Delim:
		if depth > maxDepth {
			w.faults.add(line, "the plan is nested too deeply", cureNesting)
			w.full = true
			break
		}
		w.inside(&out, t, depth+1)
	default:
		out.kind = noKind
	}
	return out
}

// inside reads the values up to and including the closing bracket.
func (w *jsonWalk) inside(out *node, open json.Delim, depth int) {
	out.kind = listKind
	if open == '{' {
		out.kind = tableKind
	}
	for !w.full && w.tokens.More() {
		if out.kind == listKind {
			out.items = append(out.items, w.value(depth))
			continue
		}
		key, line := w.next()
		name, _ := key.(string)
		out.fields = append(out.fields, field{name, line, w.value(depth)})
	}
	if !w.full {
		w.next()
	}
}
