"""Prompts for what people ask of documents again and again, in English and Chinese."""

from typing import Annotated

from mcp.server import MCPServer
from pydantic import Field

Question = Annotated[str, Field(description="The question.")]
QuestionZh = Annotated[str, Field(description="要回答的问题。")]
Collection = Annotated[str, Field(description="Collection to search; empty for the usual one.")]
CollectionZh = Annotated[str, Field(description="要检索的集合；留空则用默认集合。")]
Document = Annotated[str, Field(description="Id, path or file name of a document.")]
DocumentZh = Annotated[str, Field(description="文档的 id、路径或文件名。")]
Topic = Annotated[str, Field(description="What to compare; empty for the main points.")]
TopicZh = Annotated[str, Field(description="比较的主题；留空则比较要点。")]
Text = Annotated[str, Field(description="The answer to check.")]
TextZh = Annotated[str, Field(description="要核对的回答。")]


def add_prompts(server: MCPServer) -> None:
    """Give a server the prompts."""
    for function, title, description in (
        (answer_with_citations, "Answer with citations", "Answer a question from the documents, every statement cited"),
        (answer_with_citations_zh, "带引用回答", "依据文档回答问题，每个论断注明出处"),
        (compare_documents, "Compare documents", "Compare two documents point by point, with citations"),
        (compare_documents_zh, "比较文档", "逐点比较两份文档，并注明出处"),
        (summarise_document, "Summarise a document", "Summarise a document section by section"),
        (summarise_document_zh, "总结文档", "按章节总结一份文档"),
        (check_an_answer, "Check an answer", "Check an answer claim by claim against the documents"),
        (check_an_answer_zh, "核对回答", "依据文档逐条核对一个回答"),
    ):
        server.prompt(title=title, description=description)(function)


def answer_with_citations(question: Question, collection: Collection = "") -> str:
    """Ask for a cited answer."""
    return (
        f"Answer this question from the knowledge hub: {question}\n\n"
        f"1. Call query_knowledge_hub with the question in my words{_named(collection)}. If the passages do not "
        "suffice, ask again in other words, or read on with read_section.\n"
        "2. Answer in the language of the question. Put the mark [n] of its passage after every statement, and use "
        "nothing that no passage says.\n"
        "3. End with the list of sources: [n] title, file, section, page.\n"
        "4. If the hub abstains, say that the documents do not answer this, and what they do say about it."
    )


def answer_with_citations_zh(question: QuestionZh, collection: CollectionZh = "") -> str:
    """Ask for a cited answer, in Chinese."""
    return (
        f"请依据知识库回答这个问题：{question}\n\n"
        f"1. 用我的原话调用 query_knowledge_hub{_named_zh(collection)}。"
        "段落不够时换个说法再问，或用 read_section 往下读。\n"
        "2. 用提问的语言回答。每个论断后注明段落的标记 [n]，段落里没有的内容不要写。\n"
        "3. 最后列出来源：[n] 标题、文件、章节、页码。\n"
        "4. 如果知识库没有答案（abstained），就直说文档没有回答这个问题，并说明文档中相关的内容。"
    )


def compare_documents(first_document: Document, second_document: Document, topic: Topic = "") -> str:
    """Ask for a comparison."""
    about = f" on {topic}" if topic else ""
    return (
        f"Compare these two documents{about}: {first_document} and {second_document}\n\n"
        "1. Find both and their outlines with describe.\n"
        "2. Read the sections that matter with read_section; find single facts with query_knowledge_hub and a filter "
        "on doc_id.\n"
        "3. Give a table: point, what the first says, what the second says, with file, section and page for each.\n"
        "4. Say what only one of them covers, and where they contradict each other."
    )


def compare_documents_zh(first_document: DocumentZh, second_document: DocumentZh, topic: TopicZh = "") -> str:
    """Ask for a comparison, in Chinese."""
    about = f"，主题是{topic}" if topic else ""
    return (
        f"请比较这两份文档{about}：{first_document} 与 {second_document}\n\n"
        "1. 用 describe 找到两份文档，并看各自的目录。\n"
        "2. 用 read_section 读相关章节；单个事实用 query_knowledge_hub 并以 doc_id 过滤来查。\n"
        "3. 给出表格：要点、第一份怎么说、第二份怎么说，每处注明文件、章节、页码。\n"
        "4. 指出只有一份提到的内容，以及两者矛盾之处。"
    )


def summarise_document(document: Document) -> str:
    """Ask for a summary."""
    return (
        f"Summarise this document: {document}\n\n"
        "1. Find it with get_document_summary, and its outline with describe.\n"
        "2. Read it section by section with read_section; do not summarise what you have not read.\n"
        "3. Write in the document's language: three sentences on the whole, then two or three points for each main "
        "section with its page, then figures, dates and duties that a reader must not miss."
    )


def summarise_document_zh(document: DocumentZh) -> str:
    """Ask for a summary, in Chinese."""
    return (
        f"请总结这份文档：{document}\n\n"
        "1. 用 get_document_summary 找到它，用 describe 看目录。\n"
        "2. 用 read_section 逐节阅读；没有读过的内容不要总结。\n"
        "3. 用中文写：先用三句话概括全文，再按主要章节各写两三个要点并注明页码，最后列出不能遗漏的数字、日期和义务。"
    )


def check_an_answer(answer: Text, collection: Collection = "") -> str:
    """Ask for a check."""
    return (
        f"Check this answer against the knowledge hub:\n\n{answer}\n\n"
        f"1. Call verify_answer with the whole text{_named(collection)}.\n"
        "2. List every claim with its verdict and the passage that decides it (file, section, page).\n"
        "3. What is not_found was not judged: read its passages, and look once more with query_knowledge_hub.\n"
        "4. End with a corrected answer that says only what the documents say."
    )


def check_an_answer_zh(answer: TextZh, collection: CollectionZh = "") -> str:
    """Ask for a check, in Chinese."""
    return (
        f"请依据知识库核对这个回答：\n\n{answer}\n\n"
        f"1. 用全文调用 verify_answer{_named_zh(collection)}。\n"
        "2. 逐条列出论断、结论以及起决定作用的段落（文件、章节、页码）。\n"
        "3. not_found 只表示没有判断：请读它列出的段落，再用 query_knowledge_hub 查一次。\n"
        "4. 最后给出修正后的回答，只写文档里有的内容。"
    )


def _named(collection: str) -> str:
    return f" and collection {collection!r}" if collection else ""


def _named_zh(collection: str) -> str:
    return f"，集合为“{collection}”" if collection else ""
