"""Makes the table of folders from the output of //benchmarks:folder_bench."""

JOBS = ("open", "get miss", "get hit", "get hit, cold", "seek", "scan", "history")


def ratios_of(output):
    """Returns LevelDB's time divided by ours, as printed, for each folder and job."""
    folders = {}
    for line in output.splitlines():
        name, _, rest = line.partition(" ")
        for job in JOBS:
            cells = rest.strip().removeprefix(job).split()
            if rest.strip().startswith(job + "  ") and len(cells) == 3:
                folders.setdefault(name, {})[job] = cells[2]
    return folders


def markdown(output, machine, command, load):
    text = [f"- {label}: {value}" for label, value in machine.items()]
    text += [
        f"- Command: `{command}`",
        f"- Load of the machine before: {load:.1f}",
        "",
        f"| {' | '.join(['folder', *JOBS])} |",
        "|---|" + "--:|" * len(JOBS),
    ]
    for name, ratios in ratios_of(output).items():
        text.append(f"| {' | '.join([name, *(ratios.get(job, '') for job in JOBS)])} |")
    return "\n".join(text) + "\n"
