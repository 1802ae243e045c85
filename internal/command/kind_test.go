package command_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/command"
)

func TestAKindIsDeclaredOnce(t *testing.T) {
	before := len(command.Kinds())
	defer func() {
		if words, _ := recover().(string); !strings.Contains(words, "click") || len(command.Kinds()) != before {
			t.Errorf("%q, %d kinds, want %d", words, len(command.Kinds()), before)
		}
	}()
	command.New[command.ClickParams, command.ActResult]("click", command.Acts)
	t.Error("a second click was declared")
}

func TestAKindSaysWhichPowerItNeeds(t *testing.T) {
	before := len(command.Kinds())
	for name, traits := range map[string]command.Trait{
		"none": command.Tab | command.InPage,
		"two":  command.Tab | command.Looks | command.Acts,
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				words, _ := recover().(string)
				if !strings.Contains(words, "power") || len(command.Kinds()) != before {
					t.Errorf("%q, %d kinds, want %d", words, len(command.Kinds()), before)
				}
			}()
			command.New[command.ClickParams, command.ActResult]("peek", traits)
			t.Error("it was declared")
		})
	}
}

// What acts needs the most: the grant of the page, and the pilot. A kind that needs less has to be put here on purpose.
func TestThePowersOfTheKinds(t *testing.T) {
	want := map[string]string{}
	for power, kinds := range map[string]string{
		"nothing": "flush state_put screen_recording_stop",
		"looks": "get_attribute query get_readable get_markdown wait_for wait_for_stable get_text get_value " +
			"list_interactive action_diff snapshot screenshot accessibility state_part storage indexeddb locate " +
			"locators",
		"leaves": "navigate refresh back forward close_tab",
		"beside": "new_tab switch_tab activate_tab",
	} {
		for kind := range strings.FieldsSeq(kinds) {
			want[kind] = power
		}
	}
	for _, d := range command.Kinds() {
		power := cmp.Or(want[d.Name], "acts")
		if mutates := power != "nothing" && power != "looks"; d.Power() != power || d.Needs(command.Mutates) != mutates {
			t.Errorf("%s %s, want %s", d.Name, d.Power(), power)
		}
		delete(want, d.Name)
	}
	if len(want) > 0 {
		t.Errorf("there are no %v", want)
	}
}

func TestDeclarationsKnowTheirTypes(t *testing.T) {
	d, ok := command.Lookup("click")
	if !ok || d != command.Click.Declaration || d.Name != "click" || !d.Needs(command.Tab) || d.Needs(0) {
		t.Errorf("%+v", d)
	}
	if _, ok := d.Params.(command.ClickParams); !ok {
		t.Errorf("params are a %T", d.Params)
	}
	if _, ok := d.Result.(command.ActResult); !ok {
		t.Errorf("the result is a %T", d.Result)
	}
	if d, ok := command.Lookup("flush"); !ok || d.Needs(command.Tab|command.Mutates) {
		t.Error("flush needs neither a tab nor changes a page")
	}
}

// A point counts with both of its numbers only.
func TestTargetsThatNameNoElement(t *testing.T) {
	zero := 0.0
	for name, tt := range map[string]struct {
		target command.Target
		empty  bool
	}{
		"nothing":   {command.Target{}, true},
		"x":         {command.Target{X: &zero}, true},
		"y":         {command.Target{Y: &zero}, true},
		"x and y":   {command.Target{X: &zero, Y: &zero}, false},
		"a ref":     {command.Target{Search: command.Search{Ref: "e1"}}, false},
		"selector":  {command.Target{Search: command.Search{Selector: "p"}}, false},
		"a part":    {command.Target{Search: command.Search{Within: "form"}}, true},
		"ref and x": {command.Target{Search: command.Search{Ref: "e1"}, X: &zero}, false},
	} {
		if got := tt.target.Empty(); got != tt.empty {
			t.Errorf("%s: Empty() = %v", name, got)
		}
	}
	index := 0
	if (command.SwitchParams{}).NamesTab() || !(command.SwitchParams{TabIndex: &index}).NamesTab() {
		t.Error("an index names a tab, its absence does not")
	}
}
