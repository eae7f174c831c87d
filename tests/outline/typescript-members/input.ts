	private status: Container;
	private editor: Editor | null = null;

	// What it draws with.
	constructor(agent: Agent) {
		this.agent = agent;
	}

	render(): void {
		if (this.status) {
			this.draw();
		}
	}
}
