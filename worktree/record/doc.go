// Package record notes beside a dropped registration how far the discard came, for the next step and for the way back.
package record
