package plan

import (
	"strings"

	"github.com/git-resume/git-resume/internal/textdoc"
)

// YAMLParser parses a text that must be one plain YAML document, as yamldoc.Plain does. The function "odd" is called for every feature of
// YAML that is not allowed in a plan.
type YAMLParser func(b textdoc.Bounds, data []byte, odd func(what textdoc.Oddity, line int, text string)) (textdoc.Value, error)

// yamlTree parses one YAML document. It accepts only plain YAML. It refuses features that can make a short file expand
// into a huge one, or that hide which value belongs to which key.
func yamlTree(parse YAMLParser, data []byte, faults *collector) (textdoc.Value, bool) {
	root, err := parse(bounds, data, func(what textdoc.Oddity, line int, text string) {
		o := oddities[what]
		faults.add(line, strings.Replace(o.what, "%", escape(textdoc.Shorten(text, 60)), 1), o.cure)
	})
	if err != nil {
		damageFault(err, "YAML", cureYAML, faults)
	}
	return root, len(faults.kept) == 0
}

const cureRepeat = "write the value in each place where it is needed"

// oddities says what is wrong with each feature of YAML that is not allowed in a plan, and how to write it instead. The percent sign stands
// for the text in the plan.
var oddities = map[textdoc.Oddity]struct{ what, cure string }{
	textdoc.OddAlias:   {"the alias '%' is not allowed in a plan", cureRepeat + "; text that begins with '*' must be in quotes"},
	textdoc.OddAnchor:  {"the anchor '%' is not allowed in a plan", cureRepeat + "; text that begins with '&' must be in quotes"},
	textdoc.OddMerge:   {"the merge key '<<' is not allowed in a plan", cureRepeat},
	textdoc.OddTag:     {"the tag '%' is not allowed in a plan", "remove it; text that begins with '!' must be in quotes"},
	textdoc.OddKey:     {"a key is not a plain word", "write each key as one word and a colon"},
	textdoc.OddControl: {"the plan has the control character %", "remove it"},
	textdoc.OddSecond:  {"a second YAML document begins here", "keep one plan per file, and remove the '---' line between them"},
	textdoc.OddDepth:   {nestedTooDeeply, cureNesting},
}

const cureYAML = "indent with spaces, close every bracket and quote, " +
	"and put text in quotes if it has ': ' in it or begins with one of * & ! % @ `"
