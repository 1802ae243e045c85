// A list of things to do, as people make it with Vue: v-model on every input.
import { computed, createApp, nextTick, reactive, toRefs, watchEffect } from "vue/dist/vue.esm-bundler.js";

interface Todo {
  id: number;
  title: string;
  done: boolean;
}

createApp({
  setup() {
    const state = reactive({
      todos: [
        { id: 1, title: "Buy milk", done: false },
        { id: 2, title: "Write report", done: true },
        { id: 3, title: "Call Ada", done: false },
      ] as Todo[],
      draft: "",
      filter: "all",
      editing: undefined as { id: number; title: string } | undefined,
      priority: "normal",
    });
    watchEffect(() => {
      window.app = JSON.parse(JSON.stringify(state));
    });
    const shown = computed(() =>
      state.todos.filter((t) => state.filter === "all" || t.done === (state.filter === "completed")),
    );
    const left = computed(() => state.todos.filter((t) => !t.done).length);
    return {
      ...toRefs(state),
      shown,
      left,
      add() {
        const title = state.draft.trim();
        if (!title) return;
        state.todos.push({ id: Math.max(0, ...state.todos.map((t) => t.id)) + 1, title, done: false });
        state.draft = "";
      },
      async edit(todo: Todo) {
        state.editing = { id: todo.id, title: todo.title };
        await nextTick();
        document.querySelector<HTMLInputElement>(".edit")?.focus();
      },
      save() {
        const { editing } = state;
        if (!editing) return;
        const todo = state.todos.find((t) => t.id === editing.id);
        if (todo) todo.title = editing.title.trim();
        state.editing = undefined;
      },
      remove(todo: Todo) {
        state.todos = state.todos.filter((t) => t.id !== todo.id);
      },
      clear() {
        state.todos = state.todos.filter((t) => !t.done);
      },
    };
  },
  template: `<main>
    <h1>todos</h1>
    <input aria-label="New todo" placeholder="What needs to be done?" v-model.trim.lazy="draft" @keyup.enter="add">
    <label>Priority
      <select v-model="priority">
        <option value="low">Low</option><option value="normal">Normal</option><option value="high">High</option>
      </select>
    </label>
    <TransitionGroup tag="ul" aria-label="Todos">
      <li v-for="todo in shown" :key="todo.id">
        <input v-if="editing?.id === todo.id" class="edit" aria-label="Edit todo" v-model="editing.title"
          @blur="save" @keyup.enter="save" @keyup.esc="editing = undefined">
        <template v-else>
          <input type="checkbox" :aria-label="'Done: ' + todo.title" v-model="todo.done">
          <span @dblclick="edit(todo)">{{ todo.title }}</span>
          <button :aria-label="'Delete ' + todo.title" @click="remove(todo)">×</button>
        </template>
      </li>
    </TransitionGroup>
    <footer>
      <span>{{ left === 1 ? '1 item left' : left + ' items left' }}</span>
      <button v-for="name in ['All', 'Active', 'Completed']" :aria-pressed="filter === name.toLowerCase()"
        @click="filter = name.toLowerCase()">{{ name }}</button>
      <button @click="clear">Clear completed</button>
    </footer>
  </main>`,
}).mount("#root");
