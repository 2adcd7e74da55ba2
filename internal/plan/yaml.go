package plan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/git-resume/git-resume/internal/textdoc"
)

// yamlTree parses one YAML document. It accepts only plain YAML. It refuses features that can make a short file expand
// into a huge one, or that hide which value belongs to which key.
func yamlTree(data []byte, faults *collector) (node, bool) {
	if i := bytes.IndexFunc(data, notYAML); i >= 0 {
		r, _ := utf8.DecodeRune(data[i:])
		faults.add(lineOf(data, i), fmt.Sprintf("the plan has the control character %U", r), "remove it, or write it as an escape in double quotes")
		return node{}, false
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := d.Decode(&doc); err != nil {
		yamlFault(data, err, faults)
		return node{}, false
	}
	if err := d.Decode(&second); err == nil {
		faults.add(second.Line, "a second YAML document begins here", "keep one plan per file, and remove the '---' line between them")
	} else if !errors.Is(err, io.EOF) {
		yamlFault(data, err, faults)
	}
	if len(doc.Content) == 0 || len(faults.kept) > 0 {
		return node{}, false
	}
	root := fromYAML(doc.Content[0], 0, faults)
	return root, len(faults.kept) == 0
}

// notYAML reports whether YAML forbids a character in a file.
func notYAML(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' || 0x7f <= r && r <= 0x9f && r != 0x85 || r == 0xfffe || r == 0xffff
}

// fromYAML converts the YAML library's tree into nodes, in file order.
func fromYAML(n *yaml.Node, depth int, faults *collector) node {
	out := node{kind: noKind, line: n.Line}
	if depth > maxDepth {
		faults.add(n.Line, "the plan is nested too deeply", cureNesting)
		return out
	}
	if refuseYAML(n, faults) {
		return out
	}
	switch n.Kind {
	case yaml.ScalarNode:
		out.kind, out.text = scalarKind(n), n.Value
	case yaml.SequenceNode:
		out.kind = listKind
		for _, item := range n.Content {
			out.items = append(out.items, fromYAML(item, depth+1, faults))
		}
	case yaml.MappingNode:
		out.kind = tableKind
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if key.Kind != yaml.ScalarNode {
				faults.add(key.Line, "a key is not a plain word", "write each key as one word and a colon")
				continue
			}
			if !refuseYAML(key, faults) {
				out.fields = append(out.fields, field{key.Value, key.Line, fromYAML(value, depth+1, faults)})
			}
		}
	}
	return out
}

// refuseYAML refuses anchors, aliases, merge keys and tags.
func refuseYAML(n *yaml.Node, faults *collector) bool {
	const out = "write the value in each place where it is needed"
	switch {
	case n.Kind == yaml.AliasNode:
		faults.add(n.Line, "the alias "+quote("*"+n.Value)+" is not allowed in a plan", out+"; text that begins with '*' must be in quotes")
	case n.Anchor != "":
		faults.add(n.Line, "the anchor "+quote("&"+n.Anchor)+" is not allowed in a plan", out+"; text that begins with '&' must be in quotes")
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!merge":
		faults.add(n.Line, "the merge key '<<' is not allowed in a plan", out)
	case n.Style&yaml.TaggedStyle != 0:
		faults.add(n.Line, "the tag "+quote(n.Tag)+" is not allowed in a plan", "remove it; text that begins with '!' must be in quotes")
	default:
		return false
	}
	return true
}

func scalarKind(n *yaml.Node) kind {
	switch n.ShortTag() {
	case "!!int", "!!float":
		return numberKind
	case "!!bool":
		return truthKind
	case "!!null":
		return noKind
	}
	return textKind // dates count as text too, because people mean them as text
}

var (
	yamlError   = textdoc.NewForm(`^yaml: (?:line ([0-9]+): )?(.*)`)
	yamlAnchor  = textdoc.NewForm(`^unknown anchor '(.*)' referenced`)
	yamlTab     = textdoc.NewForm(`(?m)^ *\t`)
	yamlGrammar = textdoc.NewForm(`^did not find expected (?:key|node content|'-' indicator|',' or '[\]}]'|<.*>)$`)
)

// yamlFault reports an error of the YAML library with its line number. The library counts lines from 0 in parser
// errors and from 1 in scanner errors. It gives no number for the first line.
func yamlFault(data []byte, err error, faults *collector) {
	if errors.Is(err, io.EOF) {
		faults.add(0, "the plan is empty", cureNoTasks)
		return
	}
	m := yamlError.FindStringSubmatch(err.Error())
	if m == nil {
		faults.add(0, "the plan is not valid YAML: "+err.Error(), cureYAML)
		return
	}
	line := 1
	if n, err := strconv.Atoi(m[1]); err == nil {
		line = n
		if yamlGrammar.MatchString(m[2]) {
			line++
		}
	}
	if a := yamlAnchor.FindStringSubmatch(m[2]); a != nil {
		line = lineOf(data, bytes.Index(data, []byte("*"+a[1])))
	}
	if tab := yamlTab.FindStringIndex(string(data)); tab != nil && strings.Contains(m[2], "tab character") {
		line = max(line, lineOf(data, tab[0])) // the library reports the line of the value before the tab, but the tab itself may be on a later line
	}
	if strings.Contains(m[2], "exceeded max depth") {
		faults.add(line, "the plan is nested too deeply", cureNesting)
		return
	}
	faults.add(min(line, lineOf(data, len(data))), "the plan is not valid YAML: "+escape(m[2]), cureYAML)
}

const cureYAML = "indent with spaces, close every bracket and quote, " +
	"and put text in quotes if it has ': ' in it or begins with one of * & ! % @ `"
