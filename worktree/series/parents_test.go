package series

import (
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
)

func TestParentsFirst(t *testing.T) {
	t.Parallel()
	id := func(c string) object.ID { return object.ID(strings.Repeat(c, 40)) }
	raw := map[object.ID][]byte{}
	for name, parents := range map[string]string{"a": "bc", "b": "d", "c": "de", "d": "", "e": "f", "9": "a"} {
		text := "tree " + string(id("0")) + "\n"
		for _, p := range parents {
			text += "parent " + string(id(string(p))) + "\n"
		}
		raw[id(name)] = []byte(text + "author x\n\nparent " + string(id("9")) + "\n")
	}
	order := parentsFirst(raw)
	at := func(c string) int { return slices.Index(order, id(c)) }
	if len(order) != len(raw) || at("d") > at("b") || at("b") > at("a") || at("c") > at("a") || at("e") > at("c") || at("a") > at("9") {
		t.Errorf("order %v", order)
	}
}
