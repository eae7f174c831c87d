#!/usr/bin/env node
import { a, b } from './a';
import type {
  C,
  D,
} from "../c";
import './side-effect.css';
export * from './all';
const fs = require('fs');

/** How many. */
export const LIMIT = 10;

const routes = {
  home: '/',
  'about us': `/about/${LIMIT > 3 ? `{${LIMIT}` : '}'}`,
  nested: {
    deep: 1,
  },
  handler(req: Request) {
    return req;
  },
  load: async () => {
    await wait();
  },
};

export interface Options<T = { x: number }> {
  name: string;
  run(x: T): void;
}

export type Shape =
  | { kind: 'circle'; radius: number }
  | { kind: 'square'; side: number };

export enum Color {
  Red = 'red',
}

export function overload(a: string): string;
export function overload(a: number): number;
export function overload(a: any): { value: any } {
  const pattern = /[{}'"`/]+\/{2}/g;
  return { value: a.replace(pattern, '') / 2 };
}

@Component({
  selector: 'app-x',
  template: `<div class="{{ x }}">{</div>`,
})
export default class App<T extends object> extends Base<{ a: T }> implements Y {
  private readonly items: Map<string, { n: number }> = new Map();
  static #count = 0;
  @Input() name!: string;

  constructor(
    private http: Http,
    public readonly log: Log,
  ) {
    super();
  }

  get size(): number {
    return this.items.size;
  }

  async *walk<K extends keyof T>(key: K): AsyncGenerator<{ key: K }> {
    if (key) {
      yield { key };
    }
  }

  onClick = (event: Event) => {
    event.preventDefault();
  };

  [Symbol.iterator]() {
    return this.items.values();
  }

  abstract area(): number;
}

export const useThing = (id: string, { deep = false } = {}) => {
  function inner() {
    return id;
  }
  return useMemo(() => inner(), [id]);
};

const short = (x: number) => x * 2;

const Row = ({ items }) => (
  <ul>
    {items.map((i) => <li key={i}>Don't {i}</li>)}
  </ul>
);

export const Wrapped = React.memo(function Wrapped(props) {
  return <Row {...props} />;
});

export default {
  name: 'thing',
  data() {
    return {};
  },
};

Thing.prototype.run = function () {
  return 1;
};

module.exports = { short };

describe('thing', () => {
  beforeEach(() => {
    setup();
  });

  it("does `this`", async () => {
    expect(short(2)).toBe(4);
  });
});

export const Broken = () => {
  call(function () {
    return [

export function afterBroken() {
  return 1;
}
