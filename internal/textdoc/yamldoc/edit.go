package yamldoc

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/git-resume/git-resume/internal/textdoc"
)

// Set replaces one scalar value in a YAML document and leaves every other byte unchanged. The path to the value consists of keys and
// list positions. Set returns an error if the old value is not written as one plain or quoted text.
func Set(data []byte, value string, path ...string) ([]byte, error) {
	node, err := yamlAt(data, path)
	if err != nil {
		return nil, err
	}
	begin, ok := offset(data, node.Line, node.Column)
	for _, old := range []string{node.Value, `"` + node.Value + `"`, "'" + node.Value + "'"} {
		if ok && node.Kind == yaml.ScalarNode && node.Anchor == "" && old != "" && bytes.HasPrefix(data[begin:], []byte(old)) {
			return slices.Concat(data[:begin], []byte(strings.Replace(old, node.Value, value, 1)), data[begin+len(old):]), nil
		}
	}
	return nil, fmt.Errorf("the value of %s is not a single plain word", strings.Join(path, "."))
}

func yamlAt(data []byte, path []string) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil || len(doc.Content) == 0 {
		return nil, textdoc.Damaged("is not YAML: %v", err)
	}
	node := doc.Content[0]
	for depth, name := range path {
		if node = childOf(node, name); node == nil {
			return nil, textdoc.Damaged("has no %s", strings.Join(path[:depth+1], "."))
		}
	}
	return node, nil
}

func childOf(n *yaml.Node, name string) *yaml.Node {
	if i, err := strconv.Atoi(name); n.Kind == yaml.SequenceNode && err == nil && i >= 0 && i < len(n.Content) {
		return n.Content[i]
	}
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}

// offset converts a line and a column into a byte position. Lines and columns count from 1, and columns count characters.
func offset(data []byte, line, column int) (int, bool) {
	at := 0
	for ; line > 1; line-- {
		next := bytes.IndexByte(data[at:], '\n')
		if next < 0 {
			return 0, false
		}
		at += next + 1
	}
	for i := range string(data[at:]) {
		if column--; column == 0 {
			return at + i, true
		}
	}
	return 0, false
}

// Keep removes the list items for which keep() returns false. It leaves the other lines unchanged, but a list in brackets is written
// again. It returns an error if the list is not written in a plain form.
func Keep(data []byte, keep func(i int) bool, path ...string) ([]byte, error) {
	node, err := yamlAt(data, path)
	if err != nil {
		return nil, err
	}
	plain := node.Kind == yaml.SequenceNode && node.Anchor == "" && !slices.ContainsFunc(node.Content, manyLines)
	begin, ok := offset(data, node.Line, node.Column)
	switch {
	case plain && len(node.Content) == 0:
		return data, nil
	case plain && ok && node.Style&yaml.FlowStyle != 0 && data[begin] == '[':
		return keepFlow(data, begin, node, keep)
	case plain && ok && node.Style&yaml.FlowStyle == 0 && begin > 0 && data[begin] == '-':
		return keepBlock(data, node, keep)
	}
	return nil, fmt.Errorf("%s is not written as a plain list", strings.Join(path, "."))
}

// manyLines reports whether a YAML item may span several lines. The parser does not say on which line such an item ends.
func manyLines(n *yaml.Node) bool {
	return n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 || strings.Contains(n.Value, "\n") || n.Kind == yaml.AliasNode || slices.ContainsFunc(n.Content, manyLines)
}

// keepFlow rewrites a list in brackets, such as [a, b], with only the items to keep.
func keepFlow(data []byte, begin int, node *yaml.Node, keep func(int) bool) ([]byte, error) {
	length := bytes.IndexByte(data[begin:], ']')
	var items []string
	for i, n := range node.Content {
		at, ok := offset(data, n.Line, n.Column)
		if !ok || n.Kind != yaml.ScalarNode || at > begin+length || strings.ContainsAny(n.Value, "[]") {
			return nil, fmt.Errorf("a list in brackets contains more than plain words")
		}
		if !keep(i) {
			continue
		}
		word := spelled(string(data[at:begin+length]), n)
		if word == "" {
			return nil, fmt.Errorf("an item of a list in brackets is neither a plain word nor a quoted text: %s", n.Value)
		}
		items = append(items, word)
	}
	return slices.Concat(data[:begin], []byte("["+strings.Join(items, ", ")+"]"), data[begin+length+1:]), nil
}

// quoted matches a text in quotes. Inside single quotes, a quote is written twice. Inside double quotes, it comes after a backslash.
var quoted = textdoc.NewForm(`(?s)^(?:'(?:[^']|'')*'|"(?:[^"\\]|\\.)*")`)

// spelled returns the YAML item n exactly as it is written at the beginning of the text, with quotes and escapes. It returns "" if the text
// begins with anything else, such as a tag.
func spelled(text string, n *yaml.Node) string {
	switch {
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		return quoted.FindString(text)
	case strings.HasPrefix(text, n.Value):
		return n.Value
	}
	return ""
}

// keepBlock removes the lines of the rejected items. If no item remains, it writes [] after the name of the list.
func keepBlock(data []byte, node *yaml.Node, keep func(int) bool) ([]byte, error) {
	lines := strings.SplitAfter(string(data), "\n")
	var out []string
	from, kept := node.Line-1, 0
	out = append(out, lines[:from]...)
	last := 0
	for i, n := range node.Content {
		end := lastLine(n)
		if i+1 < len(node.Content) {
			end = node.Content[i+1].Line - 1
		}
		if keep(i) {
			out = append(out, lines[n.Line-1:end]...)
			kept++
		}
		last = end
	}
	if kept == 0 {
		name := strings.TrimRight(out[from-1], "\r\n")
		if !strings.HasSuffix(strings.TrimSpace(name), ":") {
			return nil, fmt.Errorf("the name of the list must be on the line right above its first item, with nothing after the colon")
		}
		out[from-1] = name + " []" + out[from-1][len(name):]
	}
	return []byte(strings.Join(append(out, lines[last:]...), "")), nil
}

func lastLine(n *yaml.Node) int {
	last := n.Line
	for _, c := range n.Content {
		last = max(last, lastLine(c))
	}
	return last
}
