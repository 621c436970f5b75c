import { type Component, type ComponentChild, createElement, type FunctionComponent } from "preact";

/** Renders a component only if `isSame` is false for its properties and those that it was last rendered with. */
export function memo<Props extends object>(
  Drawn: (props: Props) => ComponentChild,
  isSame: (drawn: Props, next: Props) => boolean,
): FunctionComponent<Props> {
  function Memo(this: Component<Props> & { drawn?: Props }, props: Props): ComponentChild {
    this.drawn = props;
    this.shouldComponentUpdate = (next) => this.drawn === undefined || !isSame(this.drawn, next);
    return createElement(Drawn as FunctionComponent<Props>, props);
  }
  return Memo as unknown as FunctionComponent<Props>;
}
