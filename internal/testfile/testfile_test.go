package testfile

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// shown writes a use in one line: where, what, and all that is said of it.
func shown(u Use) string {
	out := u.Source + " → " + u.Selector
	if u.Why != "" {
		out = u.Source + " ✗ " + u.Why
	}
	for _, f := range []struct {
		on   bool
		text string
	}{
		{u.Within != "", "in " + u.Within}, {u.Frame != "", "frame " + u.Frame}, {u.Act != "", "act " + u.Act},
		{u.Assertion, "asserted"}, {u.Absent, "absent"}, {u.Many, "many"},
		{u.Extra && u.Why == "", "extra"}, {u.Acted && u.Act == "", "acted"},
	} {
		if f.on {
			out += " | " + f.text
		}
	}
	return out
}

func TestUsesAreRead(t *testing.T) {
	for _, c := range []struct {
		name string
		lang Language
		src  string
		want []string
	}{
		{"roles", JavaScript, `await page.getByRole("button", { name: 'Pay now', exact: true }).click();
			page.getByRole('checkbox', { name: "Terms", checked: false }).check()
			page.getByRole("heading", { level: 2 }); page.getByRole("link", { name: /pay/i }); page.getByRole(kind)`, []string{
			`getByRole("button", { name: 'Pay now', exact: true }) → role=button[name="Pay now"] | act click`,
			`getByRole('checkbox', { name: "Terms", checked: false }) → role=checkbox[checked="false"][name=Terms] | act check`,
			`getByRole("heading", { level: 2 }) ✗ the option level is not looked at`,
			`getByRole("link", { name: /pay/i }) ✗ its name is computed, or a pattern`,
			`getByRole(kind) ✗ it is computed, or a pattern`,
		}},
		{"texts", JavaScript, "page.getByText('It\\'s \\u0041\\x42\\u{43} \"quoted\"'); page.getByLabel(`Name`); page.getByLabel(`Name ${n}`);" +
			`page.getByText("\"x\""); page.getByPlaceholder("a\n b"); page.getByTestId('pay'); page.getByAltText("a\"b"); page.getByTitle('T', {exact: true})`, []string{
			`getByText('It\'s \u0041\x42\u{43} "quoted"') → text=It's ABC "quoted"`,
			"getByLabel(`Name`) → label=Name",
			"getByLabel(`Name ${n}`) ✗ it is computed, or a pattern",
			`getByText("\"x\"") → text="\"x\""`,
			`getByPlaceholder("a\n b") → placeholder=a b`,
			`getByTestId('pay') → testid="pay"`,
			`getByAltText("a\"b") → [alt*="a\"b" i]`,
			`getByTitle('T', {exact: true}) → [title="T"]`,
		}},
		{"selectors", JavaScript, `page.locator("#pay").first().click(); page.locator('css=.a > .b'); page.locator("text=Pay"); page.locator('//a');
			page.locator("xpath=//a"); page.locator("a >> b"); page.locator("a:has-text('x')"); page.locator("li:first-child"); page.locator('[data-testid="x"]');
			page.locator("data-testid=x"); page.locator("a", { hasText: "x" }); locator("mine"); page.locator('"Pay"')`, []string{
			`locator("#pay") → #pay | act click | many`,
			`locator('css=.a > .b') → .a > .b`,
			`locator("text=Pay") → text=Pay`,
			`locator('//a') ✗ it is an XPath`,
			`locator("xpath=//a") ✗ it is an XPath`,
			`locator("a >> b") ✗ it is several selectors in one`,
			`locator("a:has-text('x')") ✗ browsers do not know :has-text`,
			`locator("li:first-child") → li:first-child`,
			`locator('[data-testid="x"]') → [data-testid="x"]`,
			`locator("data-testid=x") → testid=data-testid="x"`,
			`locator("a", { hasText: "x" }) ✗ the option hasText is not looked at`,
			`locator('"Pay"') → text="Pay"`,
		}},
		{"chains", JavaScript, `page.getByRole("list").getByText("Tea").click(); page.locator("a").locator("b").locator("c");
			page.frameLocator("#pay").getByLabel("Card").fill("1"); page.getByRole("listitem").filter({ hasText: "x" }).getByRole("button");
			this.page?.getByText("a")!.hover(); rows[0].getByText("b"); (await page).getByText("d")`, []string{
			`getByRole("list") → role=list | acted`,
			`getByText("Tea") → text=Tea | in role=list | act click`,
			`locator("a") → a`,
			`locator("b") → b | in a`,
			`locator("c") ✗ it is looked for in an element in an element`,
			`getByLabel("Card") → label=Card | frame #pay | act fill`,
			`getByRole("listitem") → role=listitem`,
			`getByRole("button") ✗ what filter leaves of it is not looked at`,
			`getByText("a") → text=a | act hover`,
			`getByText("b") ✗ it is looked for in rows, which is not known here`,
		}},
		{"acts of the page", JavaScript, `await page.click("#pay"); await this.page.fill('#card', "4111"); page.keyboard.press("Enter"); page.mouse.click(1, 2);
			await page.waitForSelector(".done"); page.goto("/a"); page.click(); expect(await page.textContent("h1")).toBe("x"); page.$eval("a", f); row.click("b")`, []string{
			`click("#pay") ✗ page.click looks for it itself: write it with page.locator`,
			`fill('#card', "4111") ✗ page.fill looks for it itself: write it with page.locator`,
			`waitForSelector(".done") ✗ page.waitForSelector looks for it itself: write it with page.locator`,
			`textContent("h1") ✗ page.textContent looks for it itself: write it with page.locator | asserted`,
			`$eval("a", f) ✗ page.$eval looks for it itself: write it with page.locator`,
		}},
		{"assertions", JavaScript, `await expect(page.getByText("Paid")).toBeVisible(); await expect(page.getByText("Error")).not.toBeVisible();
			await expect.soft(page.getByText("Gone")).toHaveCount(0); expect(await page.getByText("a").count()).toBe(1); page.getByText("b");
			await expect(page.getByText("c")).toBeHidden(); await expect(page.getByText("d")).not.toBeHidden()`, []string{
			`getByText("Paid") → text=Paid | asserted`,
			`getByText("Error") → text=Error | asserted | absent`,
			`getByText("Gone") → text=Gone | asserted | absent`,
			`getByText("a") → text=a | asserted | many`,
			`getByText("b") → text=b`,
			`getByText("c") → text=c | asserted | absent`,
			`getByText("d") → text=d | asserted`,
		}},
		{"cypress", JavaScript, `cy.get('.pay').click(); cy.get('@alias'); cy.contains('Pay').should('be.visible'); cy.contains('Error').should('not.exist');
			cy.get('ul').find('li').eq(2).type('x'); cy.contains('li', 'Tea'); cy.get('a:contains(x)'); map.get("x"); cy.findByRole('button', { name: 'Pay' })
			cy.get('ul').should('be.visible').and('have.class', 'x')`, []string{
			`get('.pay') → .pay | act click | many`,
			`contains('Pay') → text=Pay | asserted`,
			`contains('Error') → text=Error | asserted | absent`,
			`get('ul') → ul | many | acted`,
			`find('li') → li | in ul | act type | many`,
			`contains('li', 'Tea') ✗ an element of a selector and a text is not looked for`,
			`get('a:contains(x)') ✗ browsers do not know :contains | many`,
			`findByRole('button', { name: 'Pay' }) → role=button[name=Pay]`,
			`get('ul') → ul | asserted | many`,
		}},
		{"testing library", JavaScript, `userEvent.click(screen.getByRole('button', {name: 'Pay'})); getByText('x'); await screen.findAllByLabelText("Name");
			expect(screen.queryByText('no')).not.toBeInTheDocument()`, []string{
			`getByRole('button', {name: 'Pay'}) → role=button[name="Pay"] | act click`,
			`getByText('x') → text="x"`,
			`findAllByLabelText("Name") → label="Name" | many`,
			`queryByText('no') → text="no" | asserted | absent`,
		}},
		{"scopes", JavaScript, `row.getByRole('button').click(); within(dialog).getByText('OK'); rows.nth(1).locator('a').click(); popup.getByText('x');
			page.locator('.list').nth(1).getByText('y').click(); page.frame('x').locator('#a'); page.locator('#f').contentFrame().locator('#b');
			page.getByText('A').or(page.getByText('B')).click(); this.page.getByText('C').click(); shop.page.getByText('D')`, []string{
			`getByRole('button') ✗ it is looked for in row, which is not known here | act click`,
			`getByText('OK') ✗ it is looked for in what within gives`,
			`locator('a') ✗ it is looked for in what nth gives | act click | many`,
			`getByText('x') ✗ it is looked for in popup, which is not known here`,
			`locator('.list') → .list | acted`,
			`getByText('y') ✗ it is looked for in what nth gives | act click | many`,
			`locator('#a') ✗ it is looked for in what frame gives`,
			`locator('#f') → #f`,
			`locator('#b') ✗ it is looked for in what contentFrame gives`,
			`getByText('A') ✗ what or leaves of it is not looked at | act click`,
			`getByText('B') → text=B`,
			`getByText('C') → text=C | act click`,
			`getByText('D') → text=D`,
		}},
		{"scopes of Cypress", JavaScript, `cy.get('.a').parent().find('.b').click(); cy.get('.a').eq(1).contains('c'); cy.get('.f').should('be.visible').find('.d').click();
			cy.get('#f').its('0.contentDocument.body').then(cy.wrap).find('#e'); cy.wrap(row).find('g').click(); cy.wrap(row).contains('h');
			cy.get('.row').within(() => { cy.get('button').click(); cy.contains('Save').within(() => { cy.get('i'); }) }); cy.get('z');
			row.within(() => cy.get('k')); cy.get(x).within(() => cy.get('l'))`, []string{
			`get('.a') → .a | many | acted`,
			`find('.b') ✗ it is looked for in what parent gives | act click | many`,
			`get('.a') → .a | many`,
			`contains('c') ✗ it is looked for in what eq gives | many`,
			`get('.f') → .f | asserted | many`,
			`find('.d') → .d | in .f | act click | many`,
			`get('#f') → #f | many`,
			`find('#e') ✗ it is looked for in what then gives | many`,
			`find('g') ✗ it is looked for in what wrap gives | act click | many`,
			`contains('h') ✗ it is looked for in what wrap gives`,
			`get('.row') → .row | many`,
			`get('button') → button | in .row | act click | many`,
			`contains('Save') → text=Save | in .row`,
			`get('i') ✗ it is looked for within an element that is not known here | many`,
			`get('z') → z | many`,
			`get('k') ✗ it is looked for within an element that is not known here | many`,
			`get(x) ✗ it is computed, or a pattern | many`,
			`get('l') ✗ it is looked for within an element that is not known here | many`,
		}},
		{"names", JavaScript, `const error = page.getByText('No'); await expect(error).toBeVisible(); class P { total = this.page.getByTestId('t');
			constructor(page) { this.save = page.getByRole('button'); this.load = page.locator('.load'); this.other = page.locator('.other') }
			async ok() { await expect(this.total).toBeVisible(); await this.save.click(); await expect(this.load).toBeHidden() } }`, []string{
			`getByText('No') → text=No | asserted`,
			`getByTestId('t') → testid="t" | asserted`,
			`getByRole('button') → role=button | acted`,
			`locator('.load') → .load | asserted | absent`,
			`locator('.other') → .other`,
		}},
		{"what may be missing", JavaScript, `await page.locator('.a').waitFor({ state: 'hidden' }); cy.get('.b').should('have.length', 0);
			if (await page.locator('.c').isVisible()) x(); expect(await page.locator('.d').count()).toBe(0); expect(await page.locator('.e').isVisible()).toBeFalsy();
			await waitForElementToBeRemoved(() => screen.getByText('f')); expect(await page.locator('.g').isChecked()).toBe(false);
			expect(await page.locator('.h').isVisible()).toBe(true); assert.equal(await page.locator('.i').innerText(), '5')`, []string{
			`locator('.a') → .a | absent`,
			`get('.b') → .b | asserted | absent | many`,
			`locator('.c') → .c | absent`,
			`locator('.d') → .d | asserted | absent | many`,
			`locator('.e') → .e | asserted | absent`,
			`getByText('f') → text="f" | absent`,
			`locator('.g') → .g | asserted`,
			`locator('.h') → .h | asserted`,
			`locator('.i') → .i | asserted`,
		}},
		{"what else stands in a call", JavaScript, `cy.get('.x', { timeout: 10 }).click(); await screen.findByText('S', {}, { timeout: 5 });
			page.getByRole('button', /* why */ { name: 'Pay' }).click(); page.getByRole('button', { name: 'Pay', hidden: true }).click()`, []string{
			`get('.x', { timeout: 10 }) → .x | act click | many | extra`,
			`findByText('S', {}, { timeout: 5 }) → text="S" | extra`,
			`getByRole('button', /* why */ { name: 'Pay' }) → role=button[name=Pay] | act click | extra`,
			`getByRole('button', { name: 'Pay', hidden: true }) → role=button[name=Pay] | act click | extra`,
		}},
		{"asserts of Python", Python, "assert page.locator('.a').is_visible()\nassert not page.locator('.b').is_visible()\n" +
			"assert page.locator('.c').count() == 0\nassert (\n  page.locator('.d').inner_text() == 'x'\n)\npage.locator('.e').click()", []string{
			`locator('.a') → .a | asserted`,
			`locator('.b') → .b | asserted | absent`,
			`locator('.c') → .c | asserted | absent | many`,
			`locator('.d') → .d | asserted`,
			`locator('.e') → .e | act click`,
		}},
		{"templates in templates", JavaScript, "const x = `a${ `b${ `}` }'` }`; page.locator('#q'); `${a.replace(/\\}/, b)} '`; page.locator('#r')", []string{
			`locator('#q') → #q`, `locator('#r') → #r`,
		}},
		{"what is not known", JavaScript, `page.frameLocator(x).getByText('a'); page.locator('..').getByText('b'); f(c = page.getByText('c')); c.click();
			d = page.getByText('d') || e; d.click()`, []string{
			`getByText('a') ✗ its frame is computed, or in another one`,
			`locator('..') ✗ it is an XPath`,
			`getByText('b') ✗ what it is looked for in cannot be looked for`,
			`getByText('c') → text=c | acted`,
			`getByText('d') → text=d`,
		}},
		{"python", Python, "page.get_by_role(\"button\", name='Pay', exact=True).click()\n# page.get_by_text('no')\n" +
			"expect(page.get_by_text(r\"a\\d\")).not_to_be_visible()\npage.locator('''#a''').first.fill(f\"{x}\")\npage.get_by_label(f'{x}')\n" +
			"page.get_by_text('a' \"b\")\npage.get_by_role(\n  'link', name=re.compile('x'))\npage.get_by_test_id('t')", []string{
			`get_by_role("button", name='Pay', exact=True) → role=button[name="Pay"] | act click`,
			`get_by_text(r"a\d") → text=a\d | asserted | absent`,
			`locator('''#a''') → #a | act fill | many`,
			`get_by_label(f'{x}') ✗ it is computed, or a pattern`,
			`get_by_text('a' "b") → text=ab`,
			"get_by_role(\n  'link', name=re.compile('x')) ✗ its name is computed, or a pattern",
			`get_by_test_id('t') → testid="t"`,
		}},
		{"what is no program", JavaScript, "// page.getByText('a')\n/* page.getByText('b') */ const s = \"page.getByText('c')\", r = /page.getByText('d')/, q = a / b / c;\n" +
			"const t = `${page.getByText('e')} ${`x${1}`} }`; page.getByText('f'); x = y\n/ page.getByText('g') / 2", []string{
			`getByText('f') → text=f`,
			`getByText('g') → text=g`,
		}},
		{"broken", JavaScript, `page.getByText("a"; page.getByText("b`, nil},
		{"types", JavaScript, `const a: Locator = (page as Page).getByText("x"); await page.getByText<HTMLElement>("y")`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, u := range Read(c.src, c.lang) {
				got = append(got, shown(u))
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(c.want, "\n\t"))
			}
		})
	}
}

func TestUsesHaveTheirPlaces(t *testing.T) {
	uses := Read("a\r\n  ü.getByText('x');\n\n\tcy.get('b')", JavaScript)
	if len(uses) != 2 || uses[0].Line != 2 || uses[1].Line != 4 {
		t.Errorf("%+v", uses)
	}
}

func TestWhatIsOpenedIsTold(t *testing.T) {
	got := Opens("page.goto('/a'); cy.visit(\"http://x/b\", {a: 1}); page.goto(`${base}/c`); goto(); x.visit", JavaScript)
	if strings.Join(got, " ") != "/a http://x/b" {
		t.Error(got)
	}
}

func TestLanguagesAreToldByNames(t *testing.T) {
	for name, want := range map[string]string{"a.spec.ts": "js", "A.TSX": "js", "x.cy.js": "js", "test_a.py": "py", "a.go": "", "a": ""} {
		lang, ok := LanguageOf(name)
		got := map[bool]string{true: []string{"js", "py"}[lang], false: ""}[ok]
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Reading takes time in proportion to the length, whatever is nested and not closed.
func TestLargeFilesAreRead(t *testing.T) {
	for _, c := range []struct{ part, end string }{
		{"expect(", ""}, {"page.getByText('x').", ""}, {"[{(", ""}, {"`${", ""}, {"\\", ""}, {"/", ""}, {"a(b[", "])"}, {"{a:", ""},
		{"expect(page.getByText('x')).toBeVisible();", ""}, {"x = page.getByText('x'); x.click();", ""}, {"assert (", ""}, {"a.within(() => cy.get('x'),", ")"},
		{"page.locator('x',/**/", ")"}, {"x: page.locator(x.", ")"}, {"page.getByRole('a', {name: ", "})"}, {"a?.b!", ""}, {"'", ""}, {"a.", ""}, {"(", "]"}, {"({", ")]"},
	} {
		src := strings.Repeat(c.part, 40_000)
		Read(src+strings.Repeat(c.end, 40_000), JavaScript)
		Read(src, Python)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`expect(page.getByRole("a", {name: 'b'})).not.toBeVisible()`, "`${`a`}`", "cy.get('a').find(\"b\\u{1F600}\")", `r'''a''' "\ud83d\ude00"`,
		"page.frameLocator('a').locator('css=b').filter(", "/[/]/g.a(1)/2", "'\\", "\\", "a?.", "a!", "f(,=,:{,})",
	} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, src string, js bool) {
		lang := Python
		if js {
			lang = JavaScript
		}
		last := 0
		for _, u := range Read(src, lang) {
			if u.Start < last || u.End <= u.Start || u.End > len(src) || u.Source != src[u.Start:u.End] {
				t.Fatalf("%q: %+v", src, u)
			}
			last = u.Start
			if (u.Selector == "") == (u.Why == "") {
				t.Fatalf("%q: %+v", src, u)
			}
			if utf8.ValidString(src) && !utf8.ValidString(u.Selector) && !strings.Contains(src, `\`) {
				t.Fatalf("%q gives %q", src, u.Selector)
			}
		}
	})
}

// What is written in the place of a use is read again as the selector that was meant.
func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	hostile := `it's "x" \ ${y} </script> ü` + "\u2028\r"
	for source, wants := range map[string]map[string]string{
		`page.getByRole('button', { name: 'Buy' })`: {
			`testid=pay`: `getByTestId('pay')`, `role=button[name="Pay"]`: `getByRole('button', { name: 'Pay', exact: true })`,
			`role=main`: `getByRole('main')`, `label="Name"`: `getByLabel('Name', { exact: true })`, `text=Tea`: `getByText('Tea', { exact: true })`,
			`#a > .b`: `locator('#a > .b')`, `testid=data-cy="x"`: `locator('[data-cy="x"]')`, `a >>> b`: "", `ref=e1`: "", `role=a[checked="true"]`: "",
			`placeholder="P"`: `getByPlaceholder('P', { exact: true })`, `role=button[name="SAVE IT"]`: `getByRole('button', { name: 'SAVE IT' })`,
			`text="SAVE IT"`: `getByText('SAVE IT')`,
		},
		`page.locator("#a")`: {`role=button[name="a\"b\\"]`: `getByRole("button", { name: "a\"b\\", exact: true })`},
		`screen.findAllByText('x')`: {
			`role=button[name="Pay"]`: `findAllByRole('button', { name: 'Pay' })`, `label="N"`: `findAllByLabelText('N')`,
			`testid=a`: `findAllByTestId('a')`, `text=a`: `findAllByText('a')`, `placeholder=a`: `findAllByPlaceholderText('a')`, `#a`: "",
		},
		`cy.get('#a')`: {
			`testid=pay`: `get('[data-testid="pay"]')`, `#b`: `get('#b')`, `text=Tea`: `contains('Tea')`, `role=button[name="Pay"]`: "", `label="N"`: "",
		},
		`cy.get('ul').find("li")`: {`#b`: `find("#b")`},
	} {
		for selector, want := range wants {
			uses := Read(source, JavaScript)
			u := uses[len(uses)-1]
			got, ok := u.Write(selector)
			if got != want || ok != (want != "") {
				t.Errorf("%s for %s: %q, want %q", source, selector, got, want)
			}
		}
	}
	for _, source := range []string{`page.getByText('x')`, `page.getByText("x")`, "page.get_by_text('x')", "cy.contains('x')", "screen.getByText('x')"} {
		lang := JavaScript
		if strings.Contains(source, "get_by") {
			lang = Python
		}
		u := Read(source, lang)[0]
		for _, selector := range []string{"text=" + hostile, `role=button[name="` + escaped.Replace(hostile) + `"]`, `testid="` + escaped.Replace(hostile) + `"`} {
			text, ok := u.Write(selector)
			if !ok {
				continue
			}
			again := Read("page."+text, lang)
			if strings.HasPrefix(source, "cy.") {
				again = Read("cy."+text, lang)
			}
			if len(again) != 1 || again[0].Why != "" {
				t.Errorf("%s: %s is read as %+v", selector, text, again)
				continue
			}
			_, was := parts(selector)
			_, is := parts(again[0].Selector)
			if strings.Join(strings.Fields(was), " ") != is && !strings.Contains(again[0].Selector, "data-testid") && u.Dialect != TestingLibrary {
				t.Errorf("%s: %s is read as %s", selector, text, again[0].Selector)
			}
		}
	}
}
