// Package past tells what commits hold and how they are related: common ancestors, what differs, who touched a file,
// and what a merge would give, tried on a store of objects that is thrown away.
package past
