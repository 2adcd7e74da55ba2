// Package settings reads the user's and the repository's settings, and what they mean.
package settings
