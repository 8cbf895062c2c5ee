// Reads what ki_tlog_feed wrote with Go's golang.org/x/mod/sumdb, which shares no code with us.
//
//	go run check.go FOLDER
package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must(err error, what string) {
	if err != nil {
		fmt.Printf("FAIL %s: %v\n", what, err)
		os.Exit(1)
	}
}

func read(name string) string {
	bytes, err := os.ReadFile(filepath.Join(os.Args[1], name))
	must(err, name)
	return string(bytes)
}

func lines(name string) []string {
	var all []string
	scanner := bufio.NewScanner(strings.NewReader(read(name)))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		all = append(all, scanner.Text())
	}
	return all
}

func hash(text string) (h tlog.Hash) {
	bytes, err := base64.StdEncoding.DecodeString(text)
	must(err, text)
	copy(h[:], bytes)
	return h
}

func proof(line string) (int64, []tlog.Hash) {
	words := strings.Split(line, " ")
	at, err := strconv.ParseInt(words[0], 10, 64)
	must(err, line)
	var hashes []tlog.Hash
	for _, word := range words[1:] {
		hashes = append(hashes, hash(word))
	}
	return at, hashes
}

func main() {
	verifier, err := note.NewVerifier(read("vkey"))
	must(err, "vkey")
	opened, err := note.Open([]byte(read("checkpoint")), note.VerifierList(verifier))
	must(err, "checkpoint")
	flipped := []byte(read("checkpoint"))
	flipped[len(flipped)-5] ^= 1
	if _, err := note.Open(flipped, note.VerifierList(verifier)); err == nil {
		must(fmt.Errorf("a flipped bit was accepted"), "checkpoint")
	}
	text := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(text[1], 10, 64)
	must(err, "size")
	root := hash(text[2])

	entries, roots := lines("entries"), lines("roots")
	for _, line := range lines("inclusion") {
		index, hashes := proof(line)
		must(tlog.CheckRecord(hashes, size, root, index, tlog.RecordHash([]byte(entries[index]))), "inclusion "+strconv.FormatInt(index, 10))
	}
	for _, line := range lines("consistency") {
		old, hashes := proof(line)
		must(tlog.CheckTree(hashes, size, root, old, hash(roots[old-1])), "consistency "+strconv.FormatInt(old, 10))
	}
	fmt.Printf("ok   a checkpoint of %d entries, %d inclusion and %d consistency proofs\n", size, len(entries), len(roots))
}
