package sources

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// SetYAML changes one word in a YAML document, named by the keys and places that lead to it, and leaves every other
// byte as it is. It refuses what is not written as one plain word.
func SetYAML(data []byte, value string, path ...string) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil || len(doc.Content) == 0 {
		return nil, damaged("is not YAML: %v", err)
	}
	node := doc.Content[0]
	for depth, name := range path {
		if node = childOf(node, name); node == nil {
			return nil, damaged("has no %s", strings.Join(path[:depth+1], "."))
		}
	}
	begin, ok := offset(data, node.Line, node.Column)
	for _, old := range []string{node.Value, `"` + node.Value + `"`, "'" + node.Value + "'"} {
		if ok && node.Kind == yaml.ScalarNode && node.Anchor == "" && old != "" && bytes.HasPrefix(data[begin:], []byte(old)) {
			return slices.Concat(data[:begin], []byte(strings.Replace(old, node.Value, value, 1)), data[begin+len(old):]), nil
		}
	}
	return nil, fmt.Errorf("%s is not written as one plain word", strings.Join(path, "."))
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

// offset turns a line and a column, both counted from 1, columns in characters, into a place in the bytes.
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
