package generate_test

import (
	"fmt"
	"testing"

	"github.com/brennhill/gasoline/internal/tools/generate"
)

func TestWhichFileOfTheRepositoryIsMeant(t *testing.T) {
	for source, want := range map[string]string{
		"src/Pay.tsx:12:5": "src/Pay.tsx 12", "src/Pay.tsx:12": "src/Pay.tsx 12", "./src/Pay.tsx": "src/Pay.tsx 0", "../src/a.ts": "src/a.ts 0",
		"webpack://shop/./src/cart.ts?1f2e:7:1": "src/cart.ts 7", "webpack:///./src/cart.ts:7:1": "src/cart.ts 7", "webpack-internal:///./src/a.ts": "src/a.ts 0",
		"http://localhost:5173/src/App.vue?t=1": "src/App.vue 0", "/home/me/shop/src/a.ts:3": "src/a.ts 3", "file:///home/me/shop/src/a.ts": "src/a.ts 0",
		"/home/me/other/a.ts": " 0", "/etc/passwd:1": " 1", "file://host/home/me/shop/a.ts": " 0", "node_modules/react/index.js": " 0",
		"webpack://shop/./node_modules/a/b.js": " 0", "packages/a/node_modules/b/c.js": " 0", "": " 0", "..": " 0", ".": " 0", `src\\a.ts:4`: "src/a.ts 4",
	} {
		file, line := generate.PlaceOf("/home/me/shop", source)
		if got := fmt.Sprint(file, " ", line); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
	if file, _ := generate.PlaceOf("", "/home/me/shop/src/a.ts"); file != "" {
		t.Errorf("%q without a project", file)
	}
}
