package settings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

var colourNames = []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}

var attributes = map[string]int{"bold": 1, "dim": 2, "italic": 3, "ul": 4, "blink": 5, "reverse": 7, "strike": 9}

// Colour returns the escape sequence for a colour setting. If the setting is missing, or if git would not accept its value, Colour takes
// the colour from the parameter "unset".
func (c *Config) Colour(key, unset string) string {
	v, ok := c.Get(key)
	if ok {
		if code, ok := colour(v); ok {
			return code
		}
	}
	code, _ := colour(unset)
	return code
}

// colour parses git's words for a colour: at most two colours, of which the second is the background, and attributes. ok is false if a
// word is invalid or if there is a third colour.
func colour(value string) (code string, ok bool) {
	var codes, colours []string // codes has the attributes, which git writes before the colours
	n := 0
	for word := range strings.FieldsSeq(strings.ToLower(value)) {
		if a, isAttribute := attributeOf(word); isAttribute {
			codes = append(codes, strconv.Itoa(a))
			continue
		}
		text, isColour := colourOf(word, n == 1)
		if !isColour || n == 2 {
			return "", false
		}
		n++
		if text != "" {
			colours = append(colours, text)
		}
	}
	if codes = append(codes, colours...); len(codes) == 0 {
		return "", true
	}
	return "\x1b[" + strings.Join(codes, ";") + "m", true
}

func attributeOf(word string) (int, bool) {
	if word == "reset" {
		return 0, true
	}
	off := strings.HasPrefix(word, "no") && word != "normal"
	if off {
		word = strings.TrimPrefix(strings.TrimPrefix(word, "no"), "-")
	}
	a, ok := attributes[word]
	switch {
	case ok && off && a == 1:
		return 22, true
	case ok && off:
		return 20 + a, true
	}
	return a, ok
}

func colourOf(word string, background bool) (string, bool) {
	ground := 30
	if background {
		ground = 40
	}
	if word == "normal" {
		return "", true
	}
	if word == "default" {
		return strconv.Itoa(ground + 9), true
	}
	name, bright := strings.CutPrefix(word, "bright")
	if i := slices.Index(colourNames, name); i >= 0 {
		if bright {
			ground += 60
		}
		return strconv.Itoa(ground + i), true
	}
	if n, err := strconv.ParseUint(word, 10, 8); err == nil {
		return fmt.Sprintf("%d;5;%d", ground+8, n), true
	}
	if rgb, ok := strings.CutPrefix(word, "#"); ok && len(rgb) == 6 {
		if n, err := strconv.ParseUint(rgb, 16, 32); err == nil {
			return fmt.Sprintf("%d;2;%d;%d;%d", ground+8, n>>16, n>>8&255, n&255), true
		}
	}
	return "", false
}
