package drive

import "testing"

func TestSelectorsOfOtherToolsAreSaidInOurs(t *testing.T) {
	for selector, want := range map[string]string{
		`button:has-text('Pay now')`:               `selector:"role=button[name=\"Pay now\"]"`,
		`a:contains("More")`:                       `selector:"role=link[name=\"More\"]"`,
		`.card:has-text("Ada")`:                    `selector:"text=Ada"`,
		`:text("Pay")`:                             `selector:"text=Pay"`,
		`//button`:                                 `selector:"button"`,
		`//input[@id='mail']`:                      `selector:"input[id=\"mail\"]"`,
		`xpath=//button[text()='Pay now']`:         `selector:"role=button[name=\"Pay now\"]"`,
		`//div[contains(text(), "Total")]`:         `selector:"text=Total"`,
		`//div[3]/span[@a='b'][2]`:                 ``,
		`button >> text=Pay`:                       `selector:"text=Pay" with within:"button"`,
		`#list >> nth=2`:                           `selector:"#list" with nth:2`,
		`#host >>> form >> button:has-text("Go")`:  `selector:"role=button[name=\"Go\"]" with within:"#host >>> form"`,
		`getByRole('button', { name: 'Pay now' })`: `selector:"role=button[name=\"Pay now\"]"`,
		`page.getByText("Total").click()`:          `selector:"text=Total"`,
		`screen.getByLabelText('E-mail')`:          `selector:"label=E-mail"`,
		`getByTestId('order')`:                     `selector:"testid=order"`,
		`css=#a .b`:                                `selector:"#a .b"`,
		`id=mail`:                                  `selector:"#mail"`,
		`name="mail"`:                              `selector:"[name=\"mail\"]"`,
		`linkText=More`:                            `selector:"role=link[name=\"More\"]"`,
		`aria/Save`:                                `selector:"text=Save"`,
		`li:eq(2)`:                                 `selector:"li" with nth:2`,
		`li:first`:                                 `selector:"li" with nth:0`,
		`li:last a`:                                `selector:"li a" with nth:-1`,
		`button:visible`:                           `selector:"button"; what is visible is preferred anyway`,
	} {
		if what, ours := foreign(selector); what == "" || ours != want {
			t.Errorf("%s: %q, %s, want %s", selector, what, ours, want)
		}
	}
}

func FuzzForeign(f *testing.F) {
	f.Add(`a[b="c"]:has-text("d") >> e:eq(1)`)
	f.Add(`getByRole('button', { name: 'x' }):first`)
	f.Fuzz(func(t *testing.T, selector string) {
		if what, ours := foreign(selector); what == "" && ours != "" {
			t.Errorf("%q is nobody's, and said as %s", selector, ours)
		}
	})
}

func TestOurSelectorsAreNobodyElses(t *testing.T) {
	for _, selector := range []string{
		"", "Pay now", "#a > .b", "a:first-child", "li:last-of-type", "li:nth-child(2)", "input:checked", `[title=":contains(x)"]`, `[href="//cdn/x"]`,
		`#host >>> button`, `role=button[name="a:has-text(b)"]`, "text=//not xpath", "label=id=3", "text=Next >>", `[onclick="getByText(1)"]`, "placeholder=css=x", `a[href*=">>"]`,
		"button:not(:first-child)", "input:first-line", ":has(> img)", "p::first-letter", "x-text:defined", "div:is(.a, .b)", `[data-id="id=3"]`,
	} {
		if what, ours := foreign(selector); what != "" {
			t.Errorf("%s is taken for %s: %s", selector, what, ours)
		}
	}
}
