package sessions

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
	"time"
)

// database reads an SQLite file in WAL mode without a lock and without a write: the main file, and the frames of the log up to its last commit.
// It understands only what is needed to look at a few rows. Everything unexpected is an error.
type database struct {
	main, log *os.File
	// page is the size of a page, and usable how much of it holds data.
	page, usable int
	// newest has the place in the log of the newest committed copy of a page.
	newest map[uint32]int64
	tables map[string]table
	// budget is how many bytes may still be read and decoded. The pages of a damaged file can lead in circles.
	budget int64
}

// table is a table or an index: its first page, and the names of its columns.
type table struct {
	root    uint32
	columns []string
}

// These errors say why a database is not read.
var (
	errNoDatabase = errors.New("its store has an unknown form")
	errBusy       = errors.New("its store is busy")
)

const (
	magic       = "SQLite format 3\x00"
	largestPage = 1 << 16
	deepest     = 20
	mostRead    = 512 << 20
	mostValues  = 100 // of a row
	mostPayload = 64 << 20
	mostLog     = 1 << 30
)

// stable reads a database. If the files change meanwhile, what was read may be a mixture, so it is read again.
func stable(path string, read func(*database) error) (err error) {
	const tries = 8
	for i := range tries {
		before := marks(path)
		err = readDatabase(path, read)
		if marks(path) == before {
			return err
		}
		time.Sleep(time.Duration(i+1) * 3 * time.Millisecond)
	}
	return errBusy
}

// marks are the sizes and times of a database and of its log.
func marks(path string) (out [4]int64) {
	for i, name := range []string{path, path + "-wal"} {
		if info, err := os.Lstat(name); err == nil {
			out[2*i], out[2*i+1] = info.Size(), info.ModTime().UnixNano()
		}
	}
	return out
}

func readDatabase(path string, read func(*database) error) (err error) {
	defer func() {
		if recover() != nil { // a page has another form than its header says
			err = errNoDatabase
		}
	}()
	d := &database{budget: mostRead, newest: map[uint32]int64{}, tables: map[string]table{}}
	if d.main, _, err = open(path); err != nil {
		return err
	}
	defer d.main.Close()
	if _, err := os.Lstat(path + "-journal"); err == nil {
		return errNoDatabase
	}
	log, _, err := open(path + "-wal")
	switch {
	case err == nil:
		defer log.Close()
		d.log = log
		d.readLog()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := d.readHeader(); err != nil {
		return err
	}
	return read(d)
}

func (d *database) readHeader() error {
	const headerSize, encodingAt, utf8Text, walMode = 100, 56, 1, 2
	if d.page == 0 {
		first := make([]byte, headerSize)
		if _, err := io.ReadFull(d.main, first); err != nil {
			return errNoDatabase
		}
		if d.page = int(binary.BigEndian.Uint16(first[16:])); d.page == 1 {
			d.page = largestPage
		}
	}
	if d.page < 512 || d.page > largestPage || d.page&(d.page-1) != 0 {
		return errNoDatabase
	}
	h, err := d.readPage(1)
	if err != nil {
		return err
	}
	if string(h[:len(magic)]) != magic || h[18] != walMode || h[19] != walMode || binary.BigEndian.Uint32(h[encodingAt:]) != utf8Text {
		return errNoDatabase
	}
	if d.usable = d.page - int(h[20]); d.usable < 480 {
		return errNoDatabase
	}
	return d.rows(table{root: 1, columns: []string{"type", "name", "tbl_name", "rootpage", "sql"}}, func(r row) bool {
		if root := r.number("rootpage"); root > 0 && root <= math.MaxUint32 {
			d.tables[r.text("name")] = table{uint32(root), columnsOf(r.text("sql"))}
		}
		return true
	})
}

// columnsOf returns the names of the columns in the text that made a table. For an index the result has no meaning.
func columnsOf(sql string) (out []string) {
	_, body, _ := strings.Cut(sql, "(")
	depth, from, quote := 0, 0, rune(0)
	take := func(part string) {
		if f := strings.Fields(part); len(f) > 0 {
			out = append(out, strings.ToLower(strings.Trim(f[0], "`\"[]'")))
		}
	}
	for i, c := range body {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ',' && depth == 0, c == ')':
			take(body[from:i])
			if from = i + 1; c == ')' {
				return out
			}
		}
	}
	return out
}

// readLog finds the frames of the log that were committed. A frame that does not follow from those before it ends the log.
func (d *database) readLog() {
	const headerSize, frameHeader = 32, 24
	h := make([]byte, headerSize)
	in := bufio.NewReaderSize(io.LimitReader(d.log, mostLog), largestPage)
	if _, err := io.ReadFull(in, h); err != nil || binary.BigEndian.Uint32(h)&^1 != 0x377f0682 {
		return
	}
	var order binary.ByteOrder = binary.LittleEndian
	if binary.BigEndian.Uint32(h)&1 == 1 {
		order = binary.BigEndian
	}
	size := int(binary.BigEndian.Uint32(h[8:]))
	if size < 512 || size > largestPage {
		return
	}
	var a, b uint32
	agrees := func(at []byte) bool { return a == binary.BigEndian.Uint32(at) && b == binary.BigEndian.Uint32(at[4:]) }
	if a, b = checksum(order, h[:24], 0, 0); !agrees(h[24:]) {
		return
	}
	frame, pending := make([]byte, frameHeader+size), map[uint32]int64{}
	for at := int64(headerSize); ; at += int64(len(frame)) {
		if _, err := io.ReadFull(in, frame); err != nil || string(frame[8:16]) != string(h[16:24]) {
			return
		}
		a, b = checksum(order, frame[:8], a, b)
		if a, b = checksum(order, frame[frameHeader:], a, b); !agrees(frame[16:]) {
			return
		}
		pending[binary.BigEndian.Uint32(frame)] = at + frameHeader
		if binary.BigEndian.Uint32(frame[4:]) != 0 { // the last frame of a commit
			for page, place := range pending {
				d.newest[page] = place
			}
			d.page = size
			clear(pending)
		}
	}
}

// checksum continues with a sum over all bytes of a log so far.
func checksum(order binary.ByteOrder, data []byte, a, b uint32) (uint32, uint32) {
	for ; len(data) >= 8; data = data[8:] {
		a += order.Uint32(data) + b
		b += order.Uint32(data[4:]) + a
	}
	return a, b
}

func (d *database) readPage(n uint32) ([]byte, error) {
	if d.budget -= int64(d.page); d.budget < 0 {
		return nil, errNoDatabase
	}
	file, at := d.main, int64(n-1)*int64(d.page)
	if place, ok := d.newest[n]; ok {
		file, at = d.log, place
	}
	data := make([]byte, d.page)
	if got, _ := file.ReadAt(data, at); n == 0 || got < len(data) {
		return nil, errNoDatabase
	}
	return data, nil
}

// These are the kinds of pages.
const (
	indexInside = 2
	tableInside = 5
	indexLeaf   = 10
	tableLeaf   = 13
)

// node is a page of a tree.
type node struct {
	of    *database
	data  []byte
	kind  byte
	cells int
	from  int // where the list of cells begins
	right uint32
}

func (d *database) node(n uint32) (node, error) {
	data, err := d.readPage(n)
	if err != nil {
		return node{}, err
	}
	at := 0
	if n == 1 {
		at = 100
	}
	out := node{of: d, data: data, kind: data[at], cells: int(binary.BigEndian.Uint16(data[at+3:])), from: at + 8}
	switch out.kind {
	case indexInside, tableInside:
		out.right, out.from = binary.BigEndian.Uint32(data[at+8:]), at+12
	case indexLeaf, tableLeaf:
	default:
		return node{}, errNoDatabase
	}
	return out, nil
}

// cell is one entry of a page: the page below it, the number of its row, and where its values begin.
type cell struct {
	of    node
	child uint32
	rowid int64
	rest  []byte
	size  int64
}

func (n node) cell(i int) cell {
	at := int(binary.BigEndian.Uint16(n.data[n.from+2*i:]))
	c := cell{of: n, rest: n.data[at:]}
	number := func() int64 {
		v, used := varint(c.rest)
		c.rest = c.rest[used:]
		return v
	}
	if n.kind == indexInside || n.kind == tableInside {
		c.child, c.rest = binary.BigEndian.Uint32(c.rest), c.rest[4:]
	}
	if n.kind != tableInside {
		c.size = number()
	}
	if n.kind == tableInside || n.kind == tableLeaf {
		c.rowid = number()
	}
	return c
}

// values reads the values of a cell. Only then further pages are read.
func (c cell) values() ([]any, error) {
	payload, err := c.of.of.payload(c.rest, c.size, c.of.kind != tableLeaf)
	if err != nil {
		return nil, err
	}
	return record(payload), nil
}

// payload returns the bytes of a cell. What does not fit on its page stands on further ones.
func (d *database) payload(rest []byte, size int64, ofIndex bool) ([]byte, error) {
	usable := int64(d.usable)
	most := usable - 35
	if ofIndex {
		most = (usable-12)*64/255 - 23
	}
	const effort = 100 // of each row, however short it is
	if d.budget -= size + effort; size < 0 || size > mostPayload || d.budget < 0 {
		return nil, errNoDatabase
	}
	if size <= most {
		return rest[:size], nil
	}
	least := (usable-12)*32/255 - 23
	here := least + (size-least)%(usable-4)
	if here > most {
		here = least
	}
	out := append([]byte(nil), rest[:here]...)
	for next := binary.BigEndian.Uint32(rest[here:]); int64(len(out)) < size; {
		page, err := d.readPage(next)
		if err != nil {
			return nil, err
		}
		next = binary.BigEndian.Uint32(page)
		out = append(out, page[4:4+min(size-int64(len(out)), usable-4)]...)
	}
	return out, nil
}

func varint(b []byte) (int64, int) {
	var v uint64
	for i := range 8 {
		v = v<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return int64(v), i + 1
		}
	}
	return int64(v<<8 | uint64(b[8])), 9
}

// record decodes the values of a row.
func record(b []byte) (out []any) {
	size, at := varint(b)
	body := b[size:]
	for int64(at) < size && len(out) < mostValues {
		kind, used := varint(b[at:])
		at += used
		n := 0
		switch {
		case kind >= 12:
			n = int(kind-12) / 2
		case kind == 6 || kind == 7:
			n = 8
		case kind == 5:
			n = 6
		case kind >= 1 && kind <= 4:
			n = int(kind)
		}
		v := body[:n]
		body = body[n:]
		switch {
		case kind == 0:
			out = append(out, nil)
		case kind == 8 || kind == 9:
			out = append(out, kind-8)
		case kind == 7:
			out = append(out, math.Float64frombits(binary.BigEndian.Uint64(v)))
		case kind < 7:
			x := int64(int8(v[0]))
			for _, c := range v[1:] {
				x = x<<8 | int64(c)
			}
			out = append(out, x)
		case kind%2 == 1:
			out = append(out, string(v))
		default:
			out = append(out, nil) // bytes, which nobody asks for
		}
	}
	return out
}

// row gives access to the values of a row by the names of their columns.
type row struct {
	of     table
	values []any
}

func (r row) value(name string) any {
	for i, c := range r.of.columns {
		if c == name && i < len(r.values) {
			return r.values[i]
		}
	}
	return nil
}

func (r row) text(name string) string {
	s, _ := r.value(name).(string)
	return s
}

func (r row) number(name string) int64 {
	n, _ := r.value(name).(int64)
	return n
}

// rows calls a function with each row of a table, until it returns false.
func (d *database) rows(t table, do func(row) bool) error {
	_, err := d.walk(t.root, 0, func(values []any) bool { return do(row{t, values}) })
	return err
}

// walk visits the rows of a table in order.
func (d *database) walk(page uint32, depth int, do func(values []any) bool) (more bool, err error) {
	n, err := d.node(page)
	if err != nil || depth > deepest {
		return false, errNoDatabase
	}
	for i := range n.cells {
		c := n.cell(i)
		if n.kind == tableInside {
			if more, err := d.walk(c.child, depth+1, do); !more || err != nil {
				return more, err
			}
			continue
		}
		if values, err := c.values(); err != nil || !do(values) {
			return false, err
		}
	}
	if n.right != 0 {
		return d.walk(n.right, depth+1, do)
	}
	return true, nil
}

// rowWith finds a row by its number.
func (d *database) rowWith(t table, rowid int64) (row, error) {
	page := t.root
	for range deepest {
		n, err := d.node(page)
		if err != nil {
			return row{}, err
		}
		page = n.right
		for i := range n.cells {
			c := n.cell(i)
			if n.kind == tableLeaf && c.rowid == rowid {
				values, err := c.values()
				return row{t, values}, err
			}
			if n.kind == tableInside && rowid <= c.rowid {
				page = c.child
				break
			}
		}
		if page == 0 {
			break
		}
	}
	return row{}, errNoDatabase
}

// entries returns the rows that an index has for a key in its first column, at most so many of the last ones. The last one comes last.
func (d *database) entries(index string, of table, key string, most int) (out []row, err error) {
	t, ok := d.tables[index]
	if !ok {
		return nil, errNoDatabase
	}
	var ids []int64
	if err := d.find(t.root, 0, key, most, &ids); err != nil {
		return nil, err
	}
	for i := len(ids) - 1; i >= 0; i-- {
		r, err := d.rowWith(of, ids[i])
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// find collects the numbers of the rows with a key, the last one first. It visits only the pages that can have the key.
func (d *database) find(page uint32, depth int, key string, most int, ids *[]int64) error {
	n, err := d.node(page)
	if err != nil || depth > deepest {
		return errNoDatabase
	}
	below := n.right
	for i := n.cells - 1; len(*ids) < most; i-- {
		// what is below this page comes after the cell i, and before the cell after it
		var c cell
		var values []any
		at := ""
		if i >= 0 {
			c = n.cell(i)
			if values, err = c.values(); err != nil {
				return err
			}
			at, _ = values[0].(string)
		}
		if below != 0 && (i < 0 || at <= key) {
			if err := d.find(below, depth+1, key, most, ids); err != nil {
				return err
			}
		}
		if i < 0 || at < key {
			return nil
		}
		if rowid, ok := values[len(values)-1].(int64); at == key && ok && len(*ids) < most {
			*ids = append(*ids, rowid)
		}
		below = c.child
	}
	return nil
}
