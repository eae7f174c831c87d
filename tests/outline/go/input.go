// Package store keeps things.
package store

import (
	"fmt"
	str "strings"
)

import "os"

const Limit = 10

var (
	// ErrGone is returned when it is gone.
	ErrGone = fmt.Errorf("gone {")
	quote   = '"'
)

// Thing is a thing.
type Thing struct {
	Name string `json:"name,omitempty"`
	opts struct {
		deep bool
	}
}

// after a type comes a comment

// Doer does.
type Doer interface {
	Do(x interface{}) error
}

type Pair[K comparable, V any] struct {
	Key K
	Val V
}

type (
	ID   string
	Func func(a int) error
)

var table = map[string][]int{
	"a": {1, 2},
	"b": nil,
}

// New makes one.
func New(name string) *Thing { return &Thing{Name: name} }

func (t *Thing) Run(
	ctx string,
	args ...interface{},
) (err error) {
	raw := `raw } {
func notOne() {
`
	go func() {
		defer close(t.done)
	}()
	if str.Contains(raw, "}") {
		return nil
	}
	return err
}

func Map[T, U any](list []T, f func(T) U) []U {
	return nil
}

func (p Pair[K, V]) Any() interface{} {
	return os.Args
}

func result() struct{ a, b int } {
	return struct{ a, b int }{1, 2}
}
